package dev.weir.server.command.replay;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.server.replay.DenialSeries;
import dev.weir.server.replay.LimitSearch;
import dev.weir.server.replay.ReplayResult;
import dev.weir.server.replay.ReplayTotals;
import dev.weir.server.replay.RuleSetRun;
import dev.weir.server.terminal.TextTable;
import dev.weir.text.fields.Durations;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints the result of a replay for people. */
final class ReplayReport {
    private static final int MOST_INTERVALS = 10;

    private final ReplayResult result;
    private final PrintWriter out;

    ReplayReport(ReplayResult result, PrintWriter out) {
        this.result = result;
        this.out = out;
    }

    void print(int mostCallers) {
        ReplayTotals totals = result.totals();
        out.println(number(totals.requests()) + " requests of " + number(result.callers()) + " callers, from "
                + time(totals.firstMicros()) + " to " + time(totals.lastMicros()));
        if (totals.banned() > 0) {
            out.println(number(totals.banned()) + " of them were decided by bans or exemptions, and stay as they were");
        }
        result.unknownDomains()
                .forEach((domain, requests) -> out.println(
                        number(requests) + " requests are for domain \"" + domain + "\", which the rules do not have"));
        out.println();
        totals();
        rules();
        when();
        callers(mostCallers);
        exactness();
    }

    private void totals() {
        ReplayTotals totals = result.totals();
        long decided = totals.requests() - totals.banned();
        TextTable table = new TextTable("RULES", "DENIED", "OF REQUESTS", "CALLERS DENIED");
        if (result.hasBefore()) {
            table.row(
                    result.beforeName(),
                    number(totals.before()),
                    percent(totals.before(), decided),
                    number(result.callersDeniedBefore()));
        }
        table.row(
                result.now().name(),
                number(totals.now()),
                percent(totals.now(), decided),
                number(result.callersDenied()));
        table.print(out);
        if (result.hasBefore()) {
            out.println();
            out.println(number(totals.more()) + " more requests are denied, and " + number(totals.fewer()) + " fewer; "
                    + number(result.callersChanged()) + " callers change");
        }
        if (result.before() != null && totals.recorded() > 0) {
            out.println(number(totals.asRecorded()) + " of " + number(totals.recorded())
                    + " decisions are as recorded (" + number(totals.recordedDenied()) + " denied)");
        }
    }

    private void rules() {
        Map<String, RuleSetRun.RuleTally> before = new LinkedHashMap<>();
        RuleSetRun other = result.before();
        if (other != null) {
            other.tallies().forEach(each -> before.put(id(each.rule()), each));
        }
        out.println();
        TextTable table = other == null
                ? new TextTable("RULE", "MET", "DENIED", "SHADOW")
                : new TextTable("RULE", "MET", "DENIED BEFORE", "DENIED NOW", "SHADOW");
        for (RuleSetRun.RuleTally each : result.now().tallies()) {
            row(table, other != null, each.rule(), before.remove(id(each.rule())), each);
        }
        before.values().forEach(each -> row(table, true, each.rule(), each, null));
        table.print(out);
    }

    private static void row(
            TextTable table,
            boolean compared,
            Rule rule,
            RuleSetRun.@Nullable RuleTally before,
            RuleSetRun.@Nullable RuleTally now) {
        String met = now == null ? "-" : number(now.met());
        String denied = now == null ? "-" : number(now.denied());
        String shadow = now == null || now.shadowed() == 0 ? "" : number(now.shadowed());
        String name = rule.domain() + "/" + rule.label();
        if (compared) {
            table.row(name, met, before == null ? "-" : number(before.denied()), denied, shadow);
        } else {
            table.row(name, met, denied, shadow);
        }
    }

    private static String id(Rule rule) {
        return rule.domain() + "\n" + rule.label();
    }

    /** The intervals in which most changes, or without a comparison most is denied, in the order of time. */
    private void when() {
        DenialSeries series = result.series();
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < series.size(); i++) {
            if (weight(series, i) > 0) {
                found.add(i);
            }
        }
        if (found.isEmpty()) {
            return;
        }
        found.sort(Comparator.comparingLong((Integer each) -> -weight(series, each)));
        List<Integer> shown = new ArrayList<>(found.subList(0, Math.min(MOST_INTERVALS, found.size())));
        shown.sort(Comparator.naturalOrder());
        out.println();
        out.println(
                "When" + (found.size() > shown.size() ? ", the " + shown.size() + " intervals with most" : "") + ":");
        TextTable table = result.hasBefore()
                ? new TextTable("FROM", "FOR", "REQUESTS", "DENIED BEFORE", "DENIED NOW")
                : new TextTable("FROM", "FOR", "REQUESTS", "DENIED");
        for (int each : shown) {
            List<String> cells = new ArrayList<>(
                    List.of(time(series.at(each)), Durations.text(series.width()), number(series.requests(each))));
            if (result.hasBefore()) {
                cells.add(number(series.before(each)));
            }
            cells.add(number(series.now(each)));
            table.row(cells.toArray(String[]::new));
        }
        table.print(out);
    }

    private long weight(DenialSeries series, int index) {
        return result.hasBefore() ? Math.abs(series.now(index) - series.before(index)) : series.now(index);
    }

    private void callers(int most) {
        List<ReplayResult.ChangedCaller> changed = result.changed(most);
        if (changed.isEmpty()) {
            return;
        }
        out.println();
        TextTable table = result.hasBefore()
                ? new TextTable("CALLER", "RULE", "REQUESTS", "DENIED BEFORE", "DENIED NOW", "FIRST", "LAST")
                : new TextTable("CALLER", "RULE", "REQUESTS", "DENIED", "FIRST", "LAST");
        for (ReplayResult.ChangedCaller each : changed) {
            String rule = each.rule();
            List<String> cells =
                    new ArrayList<>(List.of(each.caller(), rule == null ? "" : rule, number(each.requests())));
            if (result.hasBefore()) {
                cells.add(number(each.before()));
            }
            cells.addAll(List.of(number(each.now()), time(each.firstMicros()), time(each.lastMicros())));
            table.row(cells.toArray(String[]::new));
        }
        table.print(out);
    }

    private void exactness() {
        out.println();
        if (result.isExact()) {
            out.println("Exact: nothing was lost, cut or left out.");
            out.println("  (Not recorded: overrides of single callers, switches, and holds that were settled.)");
        } else {
            out.println("Not exact:");
            result.caveats().forEach(each -> out.println("- " + each));
        }
    }

    void suggestions(List<LimitSearch.Suggestion> suggestions, double percent, boolean estimated) {
        out.println();
        out.println("The lowest limits that would have denied at most " + plain(percent) + " % of the callers"
                + (estimated ? " (estimated)" : "") + ":");
        TextTable table = new TextTable("RULE", "TIER", "CALLERS", "LIMIT", "DENIES", "SUGGESTED", "DENIES");
        for (LimitSearch.Suggestion each : suggestions) {
            Limit limit = each.limit();
            table.row(
                    each.rule().domain() + "/" + each.rule().label(),
                    each.tier(),
                    number(each.callers()),
                    text(each.rule().limit()),
                    number(each.deniedNow()),
                    limit == null ? "none is high enough" : text(limit),
                    limit == null ? "" : number(each.denied()));
        }
        table.print(out);
    }

    static String text(@Nullable Limit limit) {
        if (limit == null) {
            return "none";
        }
        String window = limit.calendar() == null
                ? Durations.text(limit.windowMicros())
                : limit.calendar().text();
        return limit.requests() + " in " + window
                + (limit.burst() == limit.requests() ? "" : ", burst " + limit.burst());
    }

    static String time(long micros) {
        return Instant.EPOCH
                .plus(micros, ChronoUnit.MICROS)
                .truncatedTo(ChronoUnit.MILLIS)
                .toString();
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }

    private static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.2f %%", whole == 0 ? 0 : 100.0 * part / whole);
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}

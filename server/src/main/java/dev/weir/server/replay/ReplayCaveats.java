package dev.weir.server.replay;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.Rule;
import dev.weir.server.replay.input.TrafficInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Lists the reasons why the numbers of a replay need not be those of the server; without any, they are exact. */
final class ReplayCaveats {
    private ReplayCaveats() {}

    static List<String> of(ReplayRun run, boolean otherPrefixes) {
        List<String> found = new ArrayList<>();
        traffic(run.input(), run.totals(), found);
        RuleSetRun before = run.before();
        Set<String> regions = run.input().regions();
        rules(run.now(), regions, found);
        if (before != null) {
            rules(before, regions, found);
        }
        if (otherPrefixes) {
            found.add("a rule has its own ipv6_prefix, and recorded addresses are told apart by 64 bits");
        }
        return found.stream().distinct().toList();
    }

    private static void traffic(TrafficInput input, ReplayTotals totals, List<String> found) {
        if (totals.stopped) {
            found.add("there was no time for the later requests");
        }
        add(found, input.lost(), "request", "lost by the servers that recorded");
        add(found, input.unreadable(), "line", "not readable");
        add(found, input.cutOff(), "line", "cut off at the end of a file");
        if (totals.sample > 1) {
            found.add("one caller in " + totals.sample + " was recorded, so all numbers are estimates");
        }
        if (totals.recorded == 0) {
            found.add("no decisions are recorded, so nothing shows how a server decided");
        } else if (totals.recorded < totals.requests - totals.banned) {
            found.add("the decisions of some requests are not recorded");
        }
        if (totals.wholeSeconds) {
            found.add("times are known to the second only, so requests of one second count as one burst");
        }
        if (input.hasRestarts()) {
            found.add("a server was restarted; counters in its memory were forgotten then, and are not here");
        }
        if (input.regions().size() > 1) {
            found.add("servers of several regions (" + String.join(", ", new TreeSet<>(input.regions()))
                    + ") counted apart, and are played as one (replay them region by region)");
        }
        if (input.hasSeveralMemories()) {
            found.add("several servers decided in their own memory, and are played as one (replay them one by one)");
        }
        if (input.beginsLate()) {
            found.add("the recording begins while a server ran, and its counters had been used before");
        }
        add(found, totals.degraded, "request", "decided without its store");
        add(found, totals.ownLimits, "request", "sent with a limit of its own, which is not played");
        add(found, totals.namedRules, "request", "sent for some rules only, and played for all");
        add(found, totals.tooCostly, "request", "too costly to decide");
    }

    private static void rules(RuleSetRun run, Set<String> regions, List<String> found) {
        name(run, "limits concurrency, which is not played", found, each -> {
            Limit limit = each.limit();
            return limit != null && limit.algorithm() == Algorithm.CONCURRENCY;
        });
        name(run, "lets requests wait; here it denies at once", found, each -> each.queue() != null);
        name(run, "escalates to bans, which are not played", found, each -> each.escalation() != null);
        name(run, "follows a load, which is not recorded", found, each -> each.follows() != null);
        name(run, "follows reputations, which are not recorded", found, each -> each.reputation() != null);
        name(
                run,
                "is leased or reported, so servers may be ahead of this exact count",
                found,
                each -> each.consistency() == Consistency.LEASED || each.consistency() == Consistency.REPORTED);
        scopes(run, regions, found);
        if (run.ranOutOfMemory()) {
            found.add(run.name() + ": there are more counters than fit into memory");
        }
    }

    /** A recording has the requests of its own region only, and does not say when servers learned of others. */
    private static void scopes(RuleSetRun run, Set<String> regions, List<String> found) {
        name(
                run,
                "is shared by regions, and what the others used then is not recorded",
                found,
                each -> each.scope().isShared() || each.scope().isGlobal());
        name(
                run,
                "is divided into slices, and without a known region its whole limit is played (expected: --config of"
                        + " that region)",
                found,
                each -> isSliced(each) && each.scope().own() == null);
        name(
                run,
                "is divided into slices, and the one that is played is not that of the region that recorded",
                found,
                each -> isSliced(each)
                        && each.scope().own() != null
                        && !regions.isEmpty()
                        && !regions.equals(Set.of(each.scope().own())));
    }

    private static boolean isSliced(Rule rule) {
        return rule.scope().kind() == RegionScope.Kind.SLICES;
    }

    private static void name(RuleSetRun run, String what, List<String> found, Predicate<Rule> which) {
        List<String> names =
                run.rules().rules().stream().filter(which).map(Rule::label).toList();
        if (!names.isEmpty()) {
            found.add("rule " + names.get(0) + (names.size() > 1 ? " (and " + (names.size() - 1) + " more)" : "") + " "
                    + what);
        }
    }

    private static void add(List<String> found, long number, String noun, String what) {
        if (number > 0) {
            found.add(String.format(Locale.ROOT, "%,d", number) + " " + noun + (number == 1 ? " was " : "s were ")
                    + what);
        }
    }
}

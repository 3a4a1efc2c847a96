package dev.weir.simulation.output;

import dev.weir.simulation.RunResult;
import dev.weir.simulation.RunTally;
import dev.weir.simulation.accuracy.SlidingWindowAccuracy.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Formats results as rows of text. */
public final class SummaryTable {
    private SummaryTable() {}

    /** A row for each measure, a column for each run; the first row is the header. */
    public static List<List<String>> of(Map<String, RunResult> runs) {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of(""));
        head.addAll(runs.keySet());
        rows.add(head);
        List<RunResult> all = List.copyOf(runs.values());
        row(rows, "decisions", all, each -> count(each.tally().decisions()));
        row(rows, "admitted", all, each -> count(each.tally().admitted()));
        row(rows, "a single limiter admits", all, each -> count(oracleOf(each)));
        row(rows, "of what a single limiter admits", all, each -> percent(each.accuracy(), 2));
        row(rows, "beyond the limit", all, each -> count(each.tally().oracle().beyond()));
        row(rows, "false denials", all, each -> percent(each.falseDenials(), 3));
        row(rows, "decided on the spot", all, each -> percent(here(each.tally()), 1));
        row(rows, "calls of the store", all, each -> count(each.storeCalls()));
        row(rows, "decisions a call", all, each -> decimal(each.decisionsPerCall(), 1));
        row(rows, "counters a call", all, each -> decimal(share(each.storeChecks(), each.storeCalls()), 1));
        row(rows, "fairness between nodes", all, each -> decimal(each.tally().fairness(), 4));
        row(rows, "degraded", all, each -> count(each.tally().degraded()));
        if (all.stream().anyMatch(each -> each.kept() > 0)) {
            row(rows, "not sent (retry-after)", all, each -> count(each.kept()));
        }
        if (all.stream().anyMatch(each -> each.stranded() != 0)) {
            row(rows, "stranded hits", all, each -> count(each.stranded()));
        }
        return rows;
    }

    /** A row for each kind of traffic. */
    public static List<List<String>> ofAccuracy(Map<String, Found> found) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "traffic",
                "requests",
                "mean drift",
                "by caller",
                "over the limit",
                "wrongly allowed",
                "wrongly limited",
                "worst excess"));
        found.forEach((name, each) -> rows.add(List.of(
                name,
                count(each.requests()),
                percent(each.drift(), 2),
                percent(each.callerDrift(), 2),
                percent(share(each.over(), each.requests()), 1),
                percent(share(each.wronglyAllowed(), each.requests()), 4),
                percent(share(each.wronglyLimited(), each.requests()), 4),
                percent(each.worst(), 1))));
        return rows;
    }

    private static long oracleOf(RunResult result) {
        return result.tally().oracle().idealAdmitted();
    }

    private static double here(RunTally tally) {
        return 1 - share(tally.waited(), tally.decisions());
    }

    private static double share(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }

    private static void row(
            List<List<String>> rows, String name, List<RunResult> runs, Function<RunResult, String> cell) {
        List<String> row = new ArrayList<>(List.of(name));
        runs.forEach(each -> row.add(cell.apply(each)));
        rows.add(row);
    }

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String percent(double share, int digits) {
        return decimal(100 * share, digits) + " %";
    }

    private static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}

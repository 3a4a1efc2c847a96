package dev.weir.server.command.policy;

import dev.weir.internal.model.Rule;
import dev.weir.server.terminal.TextTable;
import dev.weir.testing.internal.report.FailureText;
import dev.weir.testing.internal.run.PolicyResult;
import dev.weir.testing.internal.run.PolicySuite;
import dev.weir.testing.internal.run.RuleCoverage;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints the results of policy tests for people. */
final class TestReport {
    private static final int MOST_NAMED = 10;

    private final List<PolicySuite> suites;
    private final Map<String, RuleRow> rows = new LinkedHashMap<>();

    /** How many requests met a rule, over all files that test it. */
    private static final class RuleRow {
        private final Rule rule;
        private long met;
        private long denied;

        RuleRow(Rule rule) {
            this.rule = rule;
        }
    }

    TestReport(List<PolicySuite> suites) {
        this.suites = suites;
        for (PolicySuite suite : suites) {
            RuleCoverage coverage = suite.coverage();
            if (coverage != null) {
                add(suite, coverage);
            }
        }
    }

    private void add(PolicySuite suite, RuleCoverage coverage) {
        // Rules that stand in a test file are its own; files that name the same rules share theirs.
        String origin = suite.file().sources().isEmpty()
                ? suite.file().name()
                : String.valueOf(suite.file().sources());
        for (int i = 0; i < coverage.rules().size(); i++) {
            Rule rule = coverage.rules().get(i);
            RuleRow row =
                    rows.computeIfAbsent(origin + "\0" + rule.domain() + "\0" + rule.id(), unused -> new RuleRow(rule));
            row.met += coverage.met(i);
            row.denied += coverage.denied(i);
        }
    }

    boolean hasFailed() {
        return suites.stream().anyMatch(each -> each.failed() > 0);
    }

    boolean hasUnmetRules() {
        return rows.values().stream().anyMatch(each -> each.met == 0);
    }

    void print(PrintWriter out, PrintWriter err, boolean coverage) {
        long nanos = 0;
        int tests = 0;
        long failed = 0;
        for (PolicySuite suite : suites) {
            suite.file().diagnostics().forEach(err::println);
            if (!suite.results().isEmpty()) {
                out.println(suite.file().name());
            }
            for (PolicyResult each : suite.results()) {
                out.println(
                        (each.passed() ? "  ok    " : "  FAIL  ") + each.test().name());
                nanos += each.nanos();
            }
            tests += suite.results().size();
            failed += suite.failed();
        }
        err.flush();
        for (PolicySuite suite : suites) {
            for (PolicyResult each : suite.results()) {
                if (!each.passed()) {
                    out.println();
                    FailureText.of(each).forEach(out::println);
                }
            }
        }
        if (tests == 0) {
            return; // the files have errors
        }
        out.println();
        if (coverage) {
            table(out);
        }
        out.println(
                count(tests, "test") + ", " + failed + " failed, " + String.format(Locale.ROOT, "%.2f s", nanos / 1e9));
        unmet(out);
    }

    private void table(PrintWriter out) {
        TextTable table = new TextTable("RULE", "DOMAIN", "MET", "DENIED");
        for (RuleRow each : rows.values()) {
            table.row(each.rule.label(), each.rule.domain(), Long.toString(each.met), Long.toString(each.denied));
        }
        table.print(out);
        out.println();
    }

    private void unmet(PrintWriter out) {
        List<String> names = new ArrayList<>();
        rows.values().stream().filter(each -> each.met == 0).forEach(each -> names.add(each.rule.label()));
        if (!names.isEmpty()) {
            String more = names.size() > MOST_NAMED ? " and " + (names.size() - MOST_NAMED) + " more" : "";
            out.println("no test met " + names.size() + " of " + count(rows.size(), "rule") + ": "
                    + String.join(", ", names.subList(0, Math.min(MOST_NAMED, names.size()))) + more);
        }
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}

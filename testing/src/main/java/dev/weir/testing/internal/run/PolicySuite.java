package dev.weir.testing.internal.run;

import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.testing.internal.policy.PolicyFile;
import dev.weir.testing.internal.policy.PolicyTest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tests of one file, and their results.
 *
 * @param results in the order of the file; empty if the file is wrong
 * @param coverage the rules that all its tests met; null if the rules did not load
 */
public record PolicySuite(
        PolicyFile file,
        List<PolicyResult> results,
        @Nullable RuleCoverage coverage) {

    /** Runs all tests of {@code file}. */
    public static PolicySuite run(PolicyFile file) {
        WrittenRules rules = file.rules();
        if (rules == null) {
            return new PolicySuite(file, List.of(), null);
        }
        RuleIndex index = RuleIndex.of(rules);
        RuleCoverage coverage = new RuleCoverage(index);
        List<PolicyResult> results = new ArrayList<>();
        for (PolicyTest each : file.tests()) {
            PolicyResult result = PolicyRun.run(each, index);
            results.add(result);
            coverage.add(result.coverage());
        }
        return new PolicySuite(file, List.copyOf(results), coverage);
    }

    /** How many of its tests failed. */
    public long failed() {
        return results.stream().filter(each -> !each.passed()).count();
    }
}

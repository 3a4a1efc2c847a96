package dev.weir.testing.internal.run;

import dev.weir.testing.internal.policy.PolicyTest;
import java.util.List;

/**
 * The result of one test.
 *
 * @param differences empty if it passed
 * @param explanation explains the request of the first difference, a line for each rule; empty if it passed
 * @param coverage the rules that the test met
 * @param nanos how long it took
 */
public record PolicyResult(
        PolicyTest test, List<Difference> differences, List<String> explanation, RuleCoverage coverage, long nanos) {

    public PolicyResult {
        differences = List.copyOf(differences);
        explanation = List.copyOf(explanation);
    }

    public boolean passed() {
        return differences.isEmpty();
    }
}

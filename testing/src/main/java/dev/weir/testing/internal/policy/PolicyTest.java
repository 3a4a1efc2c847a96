package dev.weir.testing.internal.policy;

import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.text.diagnostics.Position;
import java.util.List;
import java.util.Map;

/**
 * One policy test.
 *
 * @param file the file that it stands in
 * @param at where it stands there
 * @param shared whether its counters are in a simulated Redis; else in memory
 * @param quotas the quotas of callers by their {@code api_key}
 * @param steps in the order of the file
 */
public record PolicyTest(
        String file,
        Position at,
        String name,
        WrittenRules rules,
        boolean shared,
        Map<String, CallerOverrides> quotas,
        List<PolicyStep> steps) {

    public PolicyTest {
        quotas = Map.copyOf(quotas);
        steps = List.copyOf(steps);
    }
}

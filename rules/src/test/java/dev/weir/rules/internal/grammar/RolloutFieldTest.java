package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.Rule;
import org.junit.jupiter.api.Test;

class RolloutFieldTest {

    @Test
    void aRuleMayBeRolledOutToAPartOfItsCallersInBothFormats() {
        assertThat(rules("""
                        rules:
                          - { name: a, rollout: 25, limit: { requests: 1, window: 1s } }
                          - { name: b, rollout: 0.5, limit: { requests: 1, window: 1s } }
                          - { name: c, rollout: 100, limit: { requests: 1, window: 1s } }
                          - { name: d, rollout: 0, limit: { requests: 1, window: 1s } }
                          - { name: e, limit: { requests: 1, window: 1s } }
                        """)).extracting(Rule::rollout).containsExactly(2_500, 50, 10_000, 0, 10_000);
        assertThat(rules("""
                        domain: edge
                        descriptors:
                          - key: user
                            rate_limit: { unit: day, requests_per_unit: 1, rollout: 12.25 }
                        """)).extracting(Rule::rolloutPercent).containsExactly("12.25");
    }

    @Test
    void anInvalidPercentageIsReportedAtItsPosition() {
        assertThat(said("""
                        rules:
                          - { name: a, rollout: 101, limit: { requests: 1, window: 1s } }
                          - { name: b, rollout: -1, limit: { requests: 1, window: 1s } }
                          - { name: c, rollout: "25", limit: { requests: 1, window: 1s } }
                          - { name: d, rollout: 25%, limit: { requests: 1, window: 1s } }
                          - { name: e, rollout: 0.001, limit: { requests: 1, window: 1s } }
                          - { name: f, rollout: [25], limit: { requests: 1, window: 1s } }
                          - { name: g, rollout: 25, shadow: true, limit: { requests: 1, window: 1s } }
                          - { name: h, rolout: 25, limit: { requests: 1, window: 1s } }
                        """))
                .containsExactly(
                        "2:25: rollout: '101' (expected: a percentage from 0 to 100, like 25 or 0.5)",
                        "3:25: rollout: '-1' (expected: a percentage from 0 to 100, like 25 or 0.5)",
                        "4:25: rollout: '25' (expected: a percentage from 0 to 100, like 25 or 0.5)",
                        "5:25: rollout: '25%' (expected: a percentage from 0 to 100, like 25 or 0.5)",
                        "6:25: rollout: '0.001' (expected: a percentage from 0 to 100, like 25 or 0.5)",
                        "7:25: rollout: a list (expected: a single value)",
                        "8:16: rollout beside shadow (a rule in shadow mode denies nobody: remove one of them)",
                        "9:16: unknown field 'rolout' (did you mean rollout?)");
        assertThat(said("""
                        domain: edge
                        descriptors:
                          - key: user
                            shadow_mode: true
                            rate_limit: { unit: day, requests_per_unit: 1, rollout: 12 }
                          - key: path
                            rollout: 12
                            rate_limit: { unit: day, requests_per_unit: 1, rollout: all }
                        """))
                .containsExactly(
                        "5:52: rollout beside shadow_mode (a rule in shadow mode denies nobody: remove one of them)",
                        "7:5: unknown field 'rollout' (it belongs in rate_limit)",
                        "8:61: rollout: 'all' (expected: a percentage from 0 to 100, like 25 or 0.5)");
    }
}

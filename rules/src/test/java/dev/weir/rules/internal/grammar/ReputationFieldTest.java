package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.ReputationScale.Step;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReputationFieldTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void aRuleHasALimitForEachStep() {
        assertThat(rules(file("{ 80: 0.5, 95: 0.1 }")))
                .extracting(Rule::reputation)
                .containsExactly(new ReputationScale(List.of(
                        new Step(80, 500, Limit.tokenBucket(10, MINUTE)),
                        new Step(95, 100, Limit.tokenBucket(2, MINUTE)))));
    }

    @Test
    void aSingleRequestStillPasses() {
        assertThat(rules(file("{ 95: 0.001 }")))
                .extracting(Rule::reputation)
                .containsExactly(new ReputationScale(List.of(new Step(95, 1, Limit.tokenBucket(1, MINUTE)))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            { 101: 0.5 }          | 5:19: score: '101' (expected: a whole number from 1 to 100)
            { 0: 0.5 }            | 5:19: score: '0' (expected: a whole number from 1 to 100)
            { bad: 0.5 }          | 5:19: score: 'bad' (expected: a whole number from 1 to 100)
            { 80: 1 }             | 5:23: share: '1' (expected: above 0 and below 1, like 0.5; to deny, ban)
            { 80: 0.0 }           | 5:23: share: '0.0' (expected: above 0 and below 1, like 0.5; to deny, ban)
            { 80: -0.5 }          | 5:23: share: '-0.5' (expected: above 0 and below 1, like 0.5; to deny, ban)
            { 80: 0.5, 70: 0.1 }  | 5:28: score does not rise (expected: the scores of reputation in rising order)
            { 80: 0.5, 90: 0.6 }  | 5:32: share does not fall (expected: a smaller share for a worse score)
            {}                    | 5:17: reputation is empty (expected: shares of the limit by score, like { 80: 0.5, 95: 0.1 })
            """)
    void aWrongScaleIsNamed(String scale, String message) {
        assertThat(said(file(scale))).contains(message);
    }

    @Test
    void permitsHaveNoReputation() {
        assertThat(said("""
                        rules:
                          - name: a
                            limit: { requests: 20, algorithm: concurrency }
                            reputation: { 80: 0.5 }
                        """)).anyMatch(each -> each.contains("reputation on a concurrency limit"));
    }

    @Test
    void aMisspeltFieldIsNamed() {
        assertThat(said(file("{ 80: 0.5 }").replace("reputation", "reputaton")))
                .anyMatch(each ->
                        each.startsWith("5:5: ") && each.contains("'reputaton'") && each.contains("reputation?"));
    }

    private static String file(String scale) {
        return """
                domain: api
                rules:
                  - name: login
                    limit: { requests: 20, window: 1m }
                    reputation: %s
                """.formatted(scale);
    }
}

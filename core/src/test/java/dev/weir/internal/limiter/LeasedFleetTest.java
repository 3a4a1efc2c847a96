package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeasedFleetTest {

    private static WrittenRules leased(Limit limit) {
        return rules(
                rule(WeirRules.rule("r", limit).consistency(Consistency.LEASED).build(), KeyBy.of("user")));
    }

    /** Ten nodes, of which the last gets ten times what the first gets; twice the limit in all. */
    private static void skewedTraffic(LeasedNodes nodes, double perSecond, long end, Random random) {
        double weights = 0;
        for (int i = 0; i < 10; i++) {
            weights += 1 + i;
        }
        for (int i = 0; i < 10; i++) {
            nodes.traffic(i, ask("user", "u"), perSecond * (1 + i) / weights, end, random);
        }
    }

    @Test
    void tenNodesUseTheWholeLimitAndNoMoreWithATenthOfTheCalls() {
        for (int seed = 1; seed <= 5; seed++) {
            LeasedNodes nodes = new LeasedNodes(leased(Limit.fixedWindow(10_000, Duration.ofMinutes(1))), 10);
            long end = nodes.now + 60 * LocalLimiterHarness.SECOND;
            skewedTraffic(nodes, 20_000 / 60.0, end, new Random(seed));
            nodes.run(end);
            String what = "seed %d: %d of %d admitted, %d asks"
                    .formatted(seed, nodes.admitted(), nodes.decisions, nodes.asks);
            assertThat(nodes.admitted()).as(what).isBetween(9_800L, 10_000L);
            assertThat(nodes.asks * 10).as(what).isLessThanOrEqualTo(nodes.decisions);
        }
    }

    /** Hit by hit, as many calls as decisions. */
    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "GCRA"})
    void tenNodesUseTheInflowOfAnExhaustedBucketWithATenthOfTheCalls(Algorithm algorithm) {
        for (int seed = 1; seed <= 3; seed++) {
            Limit limit = Limit.of(algorithm, 10_000, Duration.ofMinutes(1));
            LeasedNodes nodes = new LeasedNodes(leased(limit), 10);
            long end = nodes.now + 60 * LocalLimiterHarness.SECOND;
            nodes.send(0, ask("user", "u").hits(10_000));
            skewedTraffic(nodes, 20_000 / 60.0, end, new Random(seed));
            nodes.run(end);
            long admitted = nodes.admitted() - 1;
            String what = "seed %d: %d of %d admitted, %d asks".formatted(seed, admitted, nodes.decisions, nodes.asks);
            assertThat(admitted).as(what).isBetween(9_800L, 10_000L);
            assertThat(nodes.asks * 10).as(what).isLessThanOrEqualTo(nodes.decisions);
        }
    }

    /** The inflow while nodes wait must not find the bucket full. */
    @ParameterizedTest
    @ValueSource(longs = {1_000, 100, 10})
    void aSmallBucketLosesNothingWhileNodesWait(long burst) {
        Limit limit = Limit.tokenBucket(10_000, Duration.ofMinutes(1)).withBurst(burst);
        LeasedNodes nodes = new LeasedNodes(leased(limit), 10);
        long end = nodes.now + 30 * LocalLimiterHarness.SECOND;
        nodes.send(0, ask("user", "u").hits(burst));
        skewedTraffic(nodes, 30_000 / 60.0, end, new Random(burst));
        nodes.run(end);
        String what = "%d of %d admitted, %d asks".formatted(nodes.admitted(), nodes.decisions, nodes.asks);
        assertThat(nodes.admitted() - 1).as(what).isBetween(4_900L, 5_000L);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void noAlgorithmAdmitsMoreThanItsBoundAndWhatWasLeasedOut(Algorithm algorithm) {
        Limit limit = Limit.of(algorithm, 2_000, Duration.ofSeconds(10));
        for (int seed = 1; seed <= 3; seed++) {
            LeasedNodes nodes = new LeasedNodes(leased(limit), 10);
            long end = nodes.now + 20 * LocalLimiterHarness.SECOND;
            skewedTraffic(nodes, 400, end, new Random(seed));
            nodes.run(end);
            String what = "%s, seed %d: %d of %d admitted, %d asks"
                    .formatted(algorithm, seed, nodes.admitted(), nodes.decisions, nodes.asks);
            // Two windows, and what buckets hold at first.
            boolean fills = algorithm == Algorithm.FIXED_WINDOW
                    || algorithm == Algorithm.SLIDING_WINDOW
                    || algorithm == Algorithm.SLIDING_WINDOW_LOG;
            assertThat(nodes.admitted()).as(what).isBetween(fills ? 3_900L : 5_800L, fills ? 4_000L : 6_000L);
        }
    }
}

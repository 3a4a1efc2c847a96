package dev.weir.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.client.internal.PacingSimulation.Result;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients under a real limit, on virtual time, with seeds that the law was not tuned on. */
class PacingTest {
    private static final Limit FIFTY_A_SECOND = Limit.tokenBucket(50, Duration.ofSeconds(1));
    private static final Limit THOUSAND_A_MINUTE = Limit.tokenBucket(1_000, Duration.ofMinutes(1));
    private static final int CALLS = 1_000;

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void aThousandCallsTakeHardlyLongerThanTheLimitAsks(long seed) {
        Result second = new PacingSimulation(FIFTY_A_SECOND, seed).run(1, CALLS, 100, true);
        assertThat(second.passed()).isEqualTo(CALLS);
        assertThat(second.refusedShare()).isLessThan(0.01);
        assertThat(second.seconds()).isLessThan(1.1 * (CALLS - 50) / 50);

        Result minute = new PacingSimulation(THOUSAND_A_MINUTE, seed).run(1, CALLS, 200, true);
        assertThat(minute.passed()).isEqualTo(CALLS);
        assertThat(minute.refusedShare()).isLessThan(0.01);
        assertThat(minute.seconds()).isLessThan(60);

        // With a small burst, a thousand calls do take a minute.
        Result smooth = new PacingSimulation(THOUSAND_A_MINUTE.withBurst(50), seed).run(1, CALLS, 200, true);
        assertThat(smooth.refusedShare()).isLessThan(0.01);
        assertThat(smooth.seconds()).isLessThan(1.1 * (CALLS - 50) * 60 / 1_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22})
    void twentyClientsShareALimitFairly(long seed) {
        Result second = new PacingSimulation(FIFTY_A_SECOND, seed).run(20, 100_000, 120, true);
        assertThat(second.fairness()).isGreaterThan(0.95);
        assertThat(second.refusedShare()).isLessThan(0.01);
        assertThat(second.passed()).isGreaterThan((int) (0.95 * 50 * 120));
        // One call in 20 ms is the mean. Synchronised clients would come twenty at a time or more.
        assertThat(second.busiest()).isLessThan(20);

        Result minute = new PacingSimulation(THOUSAND_A_MINUTE, seed).run(20, 100_000, 180, true);
        assertThat(minute.fairness()).isGreaterThan(0.95);
        assertThat(minute.refusedShare()).isLessThan(0.01);
        assertThat(minute.passed()).isGreaterThan((int) (0.9 * 4_000));
    }

    @Test
    void aClientThatOnlyObeysRetryAfterIsRefusedALot() {
        Result alone = new PacingSimulation(FIFTY_A_SECOND, 31).run(1, CALLS, 100, false);
        assertThat(alone.refusedShare()).isGreaterThan(0.05);
        assertThat(alone.seconds()).isGreaterThan(1.2 * (CALLS - 50) / 50);
        Result many = new PacingSimulation(FIFTY_A_SECOND, 31).run(20, 100_000, 60, false);
        assertThat(many.refusedShare()).isGreaterThan(0.5);
    }

    @Test
    void windowsAreSpentByTheirEnd() {
        Result fixed =
                new PacingSimulation(Limit.fixedWindow(1_000, Duration.ofMinutes(1)), 41).run(20, 100_000, 240, true);
        assertThat(fixed.refusedShare()).isLessThan(0.02);
        assertThat(fixed.passed()).isGreaterThan((int) (0.9 * 4_000));
        Result sliding =
                new PacingSimulation(Limit.slidingWindow(1_000, Duration.ofMinutes(1)), 41).run(20, 100_000, 240, true);
        assertThat(sliding.refusedShare()).isLessThan(0.01);
        assertThat(sliding.fairness()).isGreaterThan(0.95);
    }

    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53, 54, 55, 56, 57, 58, 59, 60})
    void windowsOfASecondAreSharedByTheirMilliseconds(long seed) {
        Limit limit = Limit.fixedWindow(50, Duration.ofSeconds(1));
        Result one = new PacingSimulation(limit, seed).run(1, CALLS, 100, true);
        assertThat(one.refused()).isZero();
        assertThat(one.seconds()).isLessThan(1.12 * (CALLS - 50) / 50);
        Result many = new PacingSimulation(limit, seed).run(20, 100_000, 60, true);
        assertThat(many.refusedShare()).isLessThan(0.01);
        assertThat(many.passed()).isGreaterThan((int) (0.9 * 50 * 60));
        assertThat(many.fairness()).isGreaterThan(0.95);
    }

    @Test
    void anOriginWithoutLimitsIsNotSlowedDown() {
        PacedOrigin origin = new PacedOrigin(() -> 0.5);
        PacedOrigin.Turn probe = origin.new Turn();
        assertThat(probe.delay(0)).isZero();
        probe.sent();
        assertThat(origin.new Turn().delay(0.001)).as("until the first answer").isPositive();
        origin.answered(List.of(), 0.05);
        for (int i = 0; i < 1_000; i++) {
            PacedOrigin.Turn turn = origin.new Turn();
            assertThat(turn.delay(0.05)).isZero();
            turn.sent();
        }
    }

    @Test
    void retriesStayWithinTheirBudget() {
        RetryBudget budget = new RetryBudget(0.2, 2);
        assertThat(budget.tryRetry()).isTrue();
        assertThat(budget.tryRetry()).isTrue();
        assertThat(budget.tryRetry()).isFalse();
        for (int i = 0; i < 5; i++) {
            budget.called();
        }
        assertThat(budget.tryRetry()).isTrue();
        assertThat(budget.tryRetry()).isFalse();
    }
}

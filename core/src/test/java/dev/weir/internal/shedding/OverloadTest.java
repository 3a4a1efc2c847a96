package dev.weir.internal.shedding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.shedding.SimulatedWorkers.Result;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The purpose of the shedder: useful work goes on at many times the capacity, on virtual time. */
class OverloadTest {
    private static final List<Integer> OVERLOADS = List.of(2, 5, 10);
    private static final List<Long> SEEDS = List.of(1L, 2L, 3L);

    @TestFactory
    Stream<DynamicTest> usefulWorkGoesOnInOverload() {
        return Stream.of(false, true)
                .flatMap(drop -> OVERLOADS.stream()
                        .flatMap(overload -> SEEDS.stream()
                                .map(seed -> DynamicTest.dynamicTest(
                                        overload + " times the capacity" + (drop ? ", which halves, " : ", ") + "seed "
                                                + seed,
                                        () -> {
                                            Result result = run(seed, overload, drop, gate(new GradientLimit(0)));
                                            assertThat(result.holds())
                                                    .as("%s", result)
                                                    .isTrue();
                                        }))));
    }

    /** The planted mistake: overload becomes the new normal, and useful work ends. */
    @Test
    void aBaselineThatIsNeverFrozenFailsTheSameTest() {
        for (int overload : OVERLOADS) {
            Result result = run(1, overload, false, gate(new GradientLimit(0) {
                @Override
                double learned(double baseline, double latency, boolean calm) {
                    return super.learned(baseline, latency, true);
                }
            }));
            assertThat(result.holds()).as("%s", result).isFalse();
        }
    }

    @Test
    void withoutAShedderHardlyAnyCallEndsInTime() {
        assertThat(run(1, 2, false, null).goodput()).isLessThan(0.1);
    }

    private static AdmissionGate gate(GradientLimit limit) {
        return new AdmissionGate(limit, 0);
    }

    private static Result run(long seed, int overload, boolean drop, @Nullable AdmissionGate gate) {
        return new SimulatedWorkers(seed, overload, drop, gate).run();
    }
}

package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.RateAlgorithms;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** At the edges of 64 bits: no exception, no wrap, never more than the limit. */
class EdgesTest {

    @Property(tries = 2_000)
    void everyLimitIsEitherRefusedOrCountsSanely(
            @ForAll("limits") Limit limit,
            @ForAll("edges") long first,
            @ForAll("edges") long second,
            @ForAll("edges") long hits,
            @ForAll("edges") long now) {
        if (Meters.refusal(limit) != null) {
            return;
        }
        MeteredCounter counter = MeteredCounter.of(limit);
        long total = 0;
        for (long next : new long[] {first, second, hits}) {
            Outcome out = counter.take(now, next);
            assertSane(limit, next, out);
            total = out.allowed
                    ? Math.max(0, Math.min(Long.MAX_VALUE / 2, total) + Math.min(next, Long.MAX_VALUE / 2))
                    : total;
            assertThat(total).isLessThanOrEqualTo(RandomLimits.capacity(limit));
        }
    }

    @Property(tries = 2_000)
    void noStateHoweverOddBreaksAMeter(
            @ForAll("limits") Limit limit,
            @ForAll long state0,
            @ForAll long state1,
            @ForAll("edges") long hits,
            @ForAll("edges") long now) {
        if (Meters.refusal(limit) == null && Meters.of(limit) instanceof SlotMeter meter) {
            assertSane(
                    limit, hits, new MeteredCounter(meter).state(state0, state1).take(now, hits));
        }
    }

    private static void assertSane(Limit limit, long hits, Outcome out) {
        long capacity = RandomLimits.capacity(limit);
        assertThat(out.allowed && hits > capacity).isFalse();
        assertThat(out.remaining).isBetween(0L, capacity);
        assertThat(out.used).isBetween(0, 255);
        assertThat(out.reset).isBetween(0L, ExactMath.BOUND);
        assertThat(out.delay).isBetween(0L, ExactMath.BOUND);
        if (out.allowed) {
            assertThat(out.retryAfter).isZero();
        } else if (hits > capacity) {
            assertThat(out.retryAfter).isEqualTo(Outcome.NEVER);
        } else {
            assertThat(out.retryAfter).isBetween(1L, ExactMath.BOUND);
        }
    }

    @Provide
    Arbitrary<Limit> limits() {
        Arbitrary<Long> numbers = Arbitraries.longs().between(0, Long.MAX_VALUE);
        Arbitrary<Long> counts = Arbitraries.oneOf(
                numbers,
                Arbitraries.longs().between(0, 1L << 33),
                Arbitraries.longs().between(0, 100));
        Arbitrary<Long> windows = Arbitraries.oneOf(
                Arbitraries.longs().between(1, Long.MAX_VALUE),
                Arbitraries.of(1L, 2L, 1_000_000L, 86_400_000_000L, ExactMath.LAST_MOMENT / 2));
        return Combinators.combine(
                        Arbitraries.of(RateAlgorithms.ALL), counts, windows, counts, Arbitraries.of(1, 1, 1, 2, 1_000))
                .as(Limit::new);
    }

    @Provide
    Arbitrary<Long> edges() {
        return Arbitraries.oneOf(
                Arbitraries.of(
                        Long.MIN_VALUE,
                        Long.MIN_VALUE + 1,
                        -1L,
                        0L,
                        1L,
                        (1L << 32) - 1,
                        1L << 32,
                        (1L << 52) - 1,
                        1L << 52,
                        (1L << 53) - 1,
                        1L << 53,
                        Long.MAX_VALUE - 1,
                        Long.MAX_VALUE,
                        RandomLimits.NOW),
                Arbitraries.longs());
    }
}

package dev.weir.internal.algorithm;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.RateAlgorithms;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.DomainContextBase;

/** Random limits of every algorithm, and random histories of hits. */
final class RandomLimits extends DomainContextBase {
    /** A moment in 2023. */
    static final long NOW = 1_700_000_123_456_789L;

    /** Hits that come {@code gap} microseconds after those before. */
    record Step(long gap, long hits) {}

    @Provide
    Arbitrary<Limit> limits() {
        Arbitrary<Algorithm> algorithms = Arbitraries.of(RateAlgorithms.ALL);
        Arbitrary<Long> requests = Arbitraries.oneOf(
                Arbitraries.longs().between(0, 12), Arbitraries.of(3L, 7L, 60L, 100L, 997L, 1_000L, 4_999L));
        Arbitrary<Long> windows = Arbitraries.oneOf(
                Arbitraries.longs().between(1, 40),
                Arbitraries.of(
                        1_000L,
                        999_983L,
                        1_000_000L,
                        11_000_000L,
                        60_000_000L,
                        3_600_000_000L,
                        86_400_000_000L,
                        2_592_000_000_000L,
                        31_536_000_000_000L));
        Arbitrary<Long> bursts = Arbitraries.longs().between(0, 30);
        Arbitrary<Integer> parts = Arbitraries.of(1, 1, 2, 3, 4, 10);
        Arbitrary<Long> credits = Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.just(0L)),
                Tuple.of(1, Arbitraries.longs().between(1, 20)));
        return Combinators.combine(algorithms, requests, windows, bursts, parts, credits)
                .as(RandomLimits::limit);
    }

    @Provide
    Arbitrary<List<Step>> histories() {
        Arbitrary<Long> gaps = Arbitraries.longs().between(0, 1_000_000);
        Arbitrary<Long> hits = Arbitraries.frequencyOf(
                Tuple.of(8, Arbitraries.longs().between(1, 4)),
                Tuple.of(2, Arbitraries.longs().between(0, 40)),
                Tuple.of(1, Arbitraries.longs().between(-5, -1)));
        return Combinators.combine(gaps, hits).as(Step::new).list().ofMaxSize(60);
    }

    private static Limit limit(Algorithm algorithm, long requests, long window, long burst, int parts, long credit) {
        boolean sliding = algorithm == Algorithm.SLIDING_WINDOW && window % parts == 0;
        Limit limit = new Limit(algorithm, requests, window, burst, sliding ? parts : 1);
        return algorithm.lendsCredit() ? limit.withCredit(credit) : limit;
    }

    /** The gap of {@code step} stretched to {@code limit}: a few windows for a whole history. */
    static long gap(Limit limit, Step step) {
        long shape = step.gap() % 7;
        long window = limit.windowMicros();
        if (shape == 0) {
            return 0;
        }
        if (shape == 1) {
            return window;
        }
        // Most steps are a small part of a window; some are up to two.
        long most = shape == 2 ? 2 * window : Math.max(2, window / 10);
        return Math.floorMod(step.gap() * 2_654_435_761L, most);
    }

    static boolean isBucket(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> true;
            default -> false;
        };
    }

    /** The most hits that {@code limit} can hold, on credit included. */
    static long capacity(Limit limit) {
        return isBucket(limit) && limit.requests() > 0 ? limit.burst() + limit.credit() : limit.requests();
    }

    /** Plays {@code history} and returns the moment at its end. */
    static long play(MeteredCounter counter, Limit limit, List<Step> history) {
        long now = NOW;
        for (Step step : history) {
            now += gap(limit, step);
            counter.take(now, step.hits());
        }
        return now;
    }
}

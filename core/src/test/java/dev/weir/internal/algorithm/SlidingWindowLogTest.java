package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The log's ring as it wraps and grows. */
class SlidingWindowLogTest {
    private static final long SECOND = 1_000_000;

    @Test
    void keepsEveryHitInOrderWhileTheLimitIsRaisedAndLowered() {
        Random random = new Random(7);
        MeteredCounter counter = MeteredCounter.of(log(5));
        Deque<Long> hits = new ArrayDeque<>();
        long now = RandomLimits.NOW;
        long requests = 5;
        for (int i = 0; i < 50_000; i++) {
            if (random.nextInt(200) == 0) {
                requests = 1L + random.nextInt(300);
                counter = counter.changedTo(log(requests));
            }
            now += random.nextLong(2 * SECOND / requests);
            while (!hits.isEmpty() && hits.getFirst() <= now - SECOND) {
                hits.removeFirst();
            }
            long more = random.nextInt(20) == 0 ? -(long) random.nextInt(10) : random.nextInt(4);
            Outcome out = counter.take(now, more);
            assertThat(out.allowed).isEqualTo(more < 0 || hits.size() + more <= requests);
            for (long h = 0; out.allowed && h < more; h++) {
                hits.addLast(now);
            }
            for (long h = more; h < 0 && !hits.isEmpty(); h++) {
                hits.removeLast();
            }
            assertThat(out.remaining).isEqualTo(Math.max(0, requests - hits.size()));
            assertThat(out.reset).isEqualTo(hits.isEmpty() ? 0 : hits.getLast() + SECOND - now);
        }
    }

    @Test
    void aHitCountsForExactlyOneWindow() {
        MeteredCounter counter = MeteredCounter.of(log(1));
        counter.take(RandomLimits.NOW, 1);
        assertThat(counter.ask(RandomLimits.NOW + SECOND - 1, 1).allowed).isFalse();
        assertThat(counter.ask(RandomLimits.NOW + SECOND, 1).allowed).isTrue();
    }

    private static Limit log(long requests) {
        return Limit.of(Algorithm.SLIDING_WINDOW_LOG, requests, Duration.ofSeconds(1));
    }
}

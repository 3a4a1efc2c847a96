package dev.weir.redis.internal.store;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes the JVM compile the path to Redis and back before callers wait for it: cold, the first batches take longer than
 * a deadline. Its asks take the path of all asks, on counters that expire within seconds.
 */
final class RedisWarmUp {
    private static final int ASKS = 64;
    private static final int WAVES = 400;
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** The time after which an unreachable Redis is given up, so that it does not delay the start. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final RedisSharedStore store;
    private final Meter[] meters;
    private final WarmAsk[] asks = new WarmAsk[ASKS];

    RedisWarmUp(RedisSharedStore store) {
        this.store = store;
        Algorithm[] algorithms = Algorithm.values();
        meters = new Meter[algorithms.length];
        for (int i = 0; i < meters.length; i++) {
            meters[i] = Meters.of(Limit.of(algorithms[i], 50, WINDOW));
        }
        for (int i = 0; i < ASKS; i++) {
            asks[i] = new WarmAsk();
        }
    }

    /**
     * Warms up and returns whether Redis answered. It returns after {@code atMost} at the latest, and at once if the
     * thread is interrupted.
     */
    boolean run(Duration atMost) {
        long start = System.nanoTime();
        long end = start + atMost.toNanos();
        int served = 0;
        for (int wave = 0; served < WAVES && hasTime(end); wave++) {
            if (wave(wave, end)) {
                served++;
            } else if (served == 0 && System.nanoTime() - start > GIVE_UP_NANOS) {
                break;
            } else {
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
        return served > 0;
    }

    /** Returns whether there is time left. An interrupted thread cannot wait any more and would only spin. */
    private static boolean hasTime(long end) {
        return System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted();
    }

    private boolean wave(int wave, long end) {
        CountDownLatch left = new CountDownLatch(ASKS);
        for (int i = 0; i < ASKS; i++) {
            WarmAsk ask = asks[i];
            if (ask.inFlight) {
                return false; // the last wave timed out
            }
            ask.begin(left, end, meters, wave, i);
            store.decide(ask);
        }
        try {
            return left.await(end - System.nanoTime(), TimeUnit.NANOSECONDS) && allServed();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean allServed() {
        for (WarmAsk ask : asks) {
            if (ask.checks.get(0).failure != null) {
                return false;
            }
        }
        return true;
    }

    /** An ask with one check, or now and then with two checks on one subject. */
    private static final class WarmAsk extends Ask {
        private static final byte[] NAME = "warm-up:".getBytes(StandardCharsets.US_ASCII);

        private final long process = ThreadLocalRandom.current().nextLong();
        private CountDownLatch left = new CountDownLatch(0);
        private volatile boolean inFlight;

        void begin(CountDownLatch latch, long end, Meter[] meters, int wave, int index) {
            left = latch;
            inFlight = true;
            deadlineNanos = end;
            checks.clear();
            int count = index % 4 == 0 ? 2 : 1;
            for (int i = 0; i < count; i++) {
                int kind = (wave + index + i) % meters.length;
                long subject = process ^ (index % 16) * 0x9E3779B97F4A7C15L;
                Check check = checks.add();
                check.key0 = subject;
                check.key1 = kind;
                check.meter = meters[kind];
                check.hits = 1;
                check.countsDenied = false;
                check.role = Check.Role.ENFORCE;
                check.name.clear();
                for (byte each : NAME) {
                    check.name.append(each);
                }
                check.name.append((byte) ('a' + kind));
                check.name.subject(subject);
            }
        }

        @Override
        public void answered() {
            inFlight = false;
            left.countDown();
        }
    }
}

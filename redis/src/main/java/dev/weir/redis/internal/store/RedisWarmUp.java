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
 * Has the JVM compile the way to Redis and back before anyone waits for it: cold, the first batches take longer than a deadline.
 * Asks go the way of all asks, on counters that Redis forgets within seconds.
 */
final class RedisWarmUp {
    private static final int ASKS = 64;
    private static final int WAVES = 400;
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** A Redis that was not there for so long is taken to be away: it is no reason to start late. */
    private static final long HOPE_NANOS = TimeUnit.SECONDS.toNanos(2);

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

    /** Whether Redis answered; no later than after {@code atMost}, and at once if this thread is interrupted. */
    boolean run(Duration atMost) {
        long start = System.nanoTime();
        long end = start + atMost.toNanos();
        int served = 0;
        for (int wave = 0; served < WAVES && goesOn(end); wave++) {
            if (wave(wave, end)) {
                served++;
            } else if (served == 0 && System.nanoTime() - start > HOPE_NANOS) {
                break;
            } else {
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
        return served > 0;
    }

    /** Interrupted, nothing here waits any more: it would only spin. */
    private static boolean goesOn(long end) {
        return System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted();
    }

    private boolean wave(int wave, long end) {
        CountDownLatch left = new CountDownLatch(ASKS);
        for (int i = 0; i < ASKS; i++) {
            WarmAsk ask = asks[i];
            if (ask.underWay) {
                return false; // the last wave was given up: the time is over
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

    /** Two checks on one subject every now and then, else one. */
    private static final class WarmAsk extends Ask {
        private static final byte[] NAME = "warm-up:".getBytes(StandardCharsets.US_ASCII);

        private final long process = ThreadLocalRandom.current().nextLong();
        private CountDownLatch left = new CountDownLatch(0);
        private volatile boolean underWay;

        void begin(CountDownLatch latch, long end, Meter[] meters, int wave, int place) {
            left = latch;
            underWay = true;
            deadlineNanos = end;
            checks.clear();
            int count = place % 4 == 0 ? 2 : 1;
            for (int i = 0; i < count; i++) {
                int kind = (wave + place + i) % meters.length;
                long subject = process ^ (place % 16) * 0x9E3779B97F4A7C15L;
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
            underWay = false;
            left.countDown();
        }
    }
}

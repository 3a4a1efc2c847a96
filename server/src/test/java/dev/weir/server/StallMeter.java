package dev.weir.server;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long this process was stalled, by a thread that sleeps and asks nobody anything: for what it slept too
 * long, this machine had no processor for it. Servers in this process had none either.
 */
public final class StallMeter implements AutoCloseable {
    private static final long NAP_NANOS = 5_000_000;

    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong all = new AtomicLong();
    private volatile boolean closed;

    public StallMeter() {
        Thread thread = new Thread(this::watch, "stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed) {
            long began = System.nanoTime();
            LockSupport.parkNanos(NAP_NANOS);
            long late = System.nanoTime() - began - NAP_NANOS;
            longest.accumulateAndGet(late, Math::max);
            all.addAndGet(Math.max(0, late));
        }
    }

    /** Forgets the stalls so far. */
    public void reset() {
        longest.set(0);
        all.set(0);
    }

    /** The longest stall. */
    public long longestMillis() {
        return NANOSECONDS.toMillis(longest.get());
    }

    /** The time since {@code began}, by {@link System#nanoTime}, without the stalls since the last {@link #reset}. */
    public Duration runSince(long began) {
        return Duration.ofNanos(Math.max(0, System.nanoTime() - began - all.get()));
    }

    @Override
    public void close() {
        closed = true;
    }
}

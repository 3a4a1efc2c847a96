package dev.weir.internal.shedding;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Admits calls while fewer are in flight than a share of the limit, and measures in windows how long they take. There is
 * no timer: the call that ends after a window is full closes it. Time is a parameter, in nanoseconds from any origin.
 *
 * <p>Thread-safe and lock-free. Calls in flight are one atomic count, so the limit is exact. The sums of a window are
 * striped; a call that ends while its window closes may count in the next one.
 */
public final class AdmissionGate {
    private static final long SECOND = 1_000_000_000L;
    private static final long WINDOW = SECOND / 10;
    private static final int WINDOW_CALLS = 20;
    /** A window with few calls closes later. */
    private static final long SPARSE_WINDOW = SECOND + SECOND / 10;

    private static final int SPARSE_WINDOW_CALLS = 3;

    private final GradientLimit gradient;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger mostInFlight = new AtomicInteger();
    private final LongAdder ended = new LongAdder();
    private final LongAdder latency = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile double limit;
    private volatile double baseline;
    private volatile long windowStart;
    private volatile long lastRefusal;

    /** Creates a gate. A mean latency up to {@code toleratedNanos} is never overload; 0 if only measurement tells. */
    public AdmissionGate(long toleratedNanos, long now) {
        this(new GradientLimit(toleratedNanos), now);
    }

    AdmissionGate(GradientLimit gradient, long now) {
        this.gradient = gradient;
        this.limit = gradient.limit();
        this.windowStart = now;
        this.lastRefusal = now - SECOND;
    }

    /** Admits a call if fewer than {@code share} of the limit are in flight; it must {@link #leave} or {@link #cancel}. */
    public boolean tryEnter(double share, long now) {
        int running = inFlight.get();
        while (running < limit * share) {
            int seen = inFlight.compareAndExchange(running, running + 1);
            if (seen == running) {
                raise(running + 1);
                return true;
            }
            running = seen;
        }
        lastRefusal = now;
        return false;
    }

    private void raise(int running) {
        int most = mostInFlight.get();
        while (running > most && !mostInFlight.compareAndSet(most, running)) {
            most = mostInFlight.get();
        }
    }

    /** Ends a call that entered at {@code entered}. */
    public void leave(long entered, long now, boolean late) {
        inFlight.decrementAndGet();
        ended.increment();
        latency.add(now - entered);
        if (late) {
            timedOut.increment();
        }
        if (now - windowStart >= WINDOW && closing.compareAndSet(false, true)) {
            try {
                closeWindow(now);
            } finally {
                closing.set(false);
            }
        }
    }

    /** Ends a call without measuring it. */
    public void cancel() {
        inFlight.decrementAndGet();
    }

    private void closeWindow(long now) {
        long elapsed = now - windowStart;
        long calls = ended.sum();
        // Another thread may have closed the window just before.
        if (elapsed < WINDOW || calls < (elapsed < SPARSE_WINDOW ? WINDOW_CALLS : SPARSE_WINDOW_CALLS)) {
            return;
        }
        calls = ended.sumThenReset();
        gradient.window(
                (double) latency.sumThenReset() / calls,
                mostInFlight.getAndSet(inFlight.get()),
                (double) calls * SECOND / elapsed,
                (double) timedOut.sumThenReset() / calls,
                now - lastRefusal < SECOND);
        limit = gradient.limit();
        baseline = gradient.baseline();
        windowStart = now;
    }

    /** The latency of a call without overload, as it was measured, in nanoseconds; 0 if no window has ended yet. */
    public double baseline() {
        return baseline;
    }

    /** How many calls may be in flight at a share of 1. */
    public double limit() {
        return limit;
    }

    public int inFlight() {
        return inFlight.get();
    }
}

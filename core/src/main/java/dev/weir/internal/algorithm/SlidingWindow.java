package dev.weir.internal.algorithm;

import dev.weir.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Two counts: that of the current window, aligned to the epoch, and that of the window before, which fades as the
 * current one passes.
 *
 * <pre>
 *   estimate = current + previous * (window - elapsed) / window
 *   hits fit  iff  estimate + hits <= requests
 * </pre>
 *
 * <p>The estimate assumes that the previous window's hits were spread evenly. At most {@code requests} hits pass in
 * each aligned window, and fewer than twice as many in any other window of that length, however uneven the traffic.
 *
 * <p><b>State.</b> Word 0 holds the current window's start in microseconds (52 bits) and 12 bits that tell one window
 * length from another. Word 1 holds the current count (32 bits) and the previous count (32 bits). After the window was
 * changed live, or a clock stepped back by more than one window, both counts are treated as current.
 *
 * <p><b>Clocks.</b> As {@link FixedWindow}: a state up to one window ahead is kept, and is asked as of its start.
 */
final class SlidingWindow extends SlotMeter {
    private static final long LOW = 0xFFFF_FFFFL;
    private static final int TAGS = 4093;

    private final long requests;
    private final long window;
    private final long windowReciprocal;
    private final long tick;
    private final long tickReciprocal;
    private final long maxCount;
    private final long tag;
    private final UsedShare share;

    SlidingWindow(Limit limit) {
        super(limit);
        this.requests = limit.requests();
        this.tick = tickOf(limit);
        this.tickReciprocal = ExactMath.reciprocal(tick);
        this.window = limit.windowMicros() / tick;
        this.windowReciprocal = ExactMath.reciprocal(window);
        this.maxCount = Math.min(ExactMath.MAX_COUNT, (ExactMath.BOUND - 1) / window - 1);
        this.tag = limit.windowMicros() % TAGS;
        this.share = new UsedShare(requests);
    }

    /** The reason why {@code limit} cannot be a sliding window, or null. */
    static @Nullable String refusal(Limit limit) {
        if (limit.requests() > ExactMath.MAX_COUNT) {
            return Meters.expected("requests", limit.requests(), "<= " + ExactMath.MAX_COUNT);
        }
        return tickOf(limit) == 0
                ? Meters.inexact(limit, "by sliding_window", "fewer requests or a shorter window")
                : null;
    }

    private static long tickOf(Limit limit) {
        for (long tick = 1; tick <= Meters.COARSEST_TICK && limit.windowMicros() % tick == 0; tick *= 10) {
            if (ExactMath.multiplyAdd(limit.requests() + 1, limit.windowMicros() / tick, 0) < ExactMath.BOUND) {
                return tick;
            }
        }
        return 0;
    }

    @Override
    public MeterKind counting() {
        return MeterKind.SLIDING_WINDOW;
    }

    @Override
    public long[] numbers() {
        return new long[] {requests, window, tick, tag};
    }

    @Override
    public long tickMicros() {
        return tick;
    }

    /** The current count stays current until one window before it is forgotten. */
    @Override
    long returnable(Outcome taken) {
        return taken.reset - limit().windowMicros();
    }

    @Override
    public void charge(long state0, long state1, long now, long hits, Outcome out) {
        decide(state0, state1, now, hits, true, out);
    }

    @Override
    public void apply(long state0, long state1, long now, long hits, boolean countDenied, Outcome out) {
        decide(state0, state1, now, hits, false, out);
    }

    private void decide(long state0, long state1, long now, long hits, boolean owes, Outcome out) {
        long moment = ExactMath.moment(now);
        long time = ExactMath.divide(moment, tick, tickReciprocal);
        long start = ExactMath.divide(time, window, windowReciprocal) * window;
        long current = state1 >>> 32;
        long previous = state1 & LOW;
        boolean clamped = false;
        if (state1 != 0) {
            long stored = ExactMath.divide((state0 >>> 12), tick, tickReciprocal);
            boolean sameWindow = (state0 & 0xFFF) == tag;
            boolean ahead = stored >= start + window;
            clamped = ahead && (!sameWindow || stored > time + window);
            if (!sameWindow || clamped) {
                current += previous;
                previous = 0;
            }
            if (ahead) {
                start = clamped ? start : stored;
            } else if (stored < start) {
                previous = stored >= start - window ? current : 0;
                current = 0;
            }
            current = Math.min(current, maxCount);
            previous = Math.min(previous, maxCount);
        }
        long rest = Math.min(window, window - (time - start));
        long faded = ExactMath.divide(previous * rest + window - 1, window, windowReciprocal);
        long free = requests - current - faded;

        out.allowed = hits < 0 || hits <= free || owes;
        out.delay = 0;
        if (out.allowed) {
            out.retryAfter = 0;
            if (hits >= -current) {
                current = owes ? Math.min(maxCount, ExactMath.saturate(current, hits)) : current + hits;
            } else {
                previous = hits < -current - previous ? 0 : previous + current + hits;
                current = 0;
                faded = ExactMath.divide(previous * rest + window - 1, window, windowReciprocal);
            }
            free = requests - current - faded;
        } else {
            out.retryAfter = hits > requests ? Outcome.NEVER : fits(start, current, previous, hits) * tick - moment;
        }
        out.remaining = Math.max(0, free);
        out.used = share.of(requests - out.remaining);
        out.reset = current != 0
                ? (start + 2 * window) * tick - moment
                : previous != 0 ? (start + window) * tick - moment : 0;
        if (clamped || (out.allowed && hits != 0)) {
            out.state1 = SlotWords.slidingWindow1(current, previous);
            out.state0 = out.state1 == 0 ? 0 : SlotWords.slidingWindow0(start * tick, tag);
        } else {
            out.state0 = state0;
            out.state1 = state1;
        }
    }

    /**
     * The first tick at which {@code hits}, at most {@code requests}, fit without further traffic, if they do not fit
     * now.
     */
    private long fits(long start, long current, long previous, long hits) {
        long room = requests - current - hits;
        if (room >= 0) {
            return start + window - room * window / previous;
        }
        return start + 2 * window - (requests - hits) * window / current;
    }
}

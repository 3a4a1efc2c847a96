package dev.weir.internal.algorithm;

import dev.weir.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A count that starts anew in every window aligned to the Unix epoch.
 *
 * <pre>
 *   start = now - now mod window
 *   hits fit  iff  count(start) + hits <= requests
 * </pre>
 *
 * <p>At most {@code requests} hits pass in each aligned window, and fewer than twice as many in any other window of
 * that length. With {@code countDenied} it counts as Envoy's reference service does: the hits always count first, and
 * are over the limit if the count then exceeds {@code requests}.
 *
 * <p><b>State.</b> The window's start in microseconds and the count, which saturates at 2^53 - 1. If the window is
 * changed live, the count is kept if the old window began inside the current new one.
 *
 * <p><b>Clocks.</b> A state up to one window in the future is kept, so that threads which read the clock in another
 * order than they count lose nothing. A state further ahead moves to the current window.
 */
final class FixedWindow extends SlotMeter {
    private final long requests;
    private final long window;
    private final long windowReciprocal;
    private final UsedShare share;

    FixedWindow(Limit limit) {
        super(limit);
        this.requests = limit.requests();
        this.window = limit.windowMicros();
        this.windowReciprocal = ExactMath.reciprocal(window);
        this.share = new UsedShare(requests);
    }

    /** The reason why {@code limit} cannot be a fixed window, or null. */
    static @Nullable String refusal(Limit limit) {
        return limit.requests() < ExactMath.BOUND - 1
                ? null
                : Meters.expected("requests", limit.requests(), "< " + (ExactMath.BOUND - 1));
    }

    @Override
    public MeterKind counting() {
        return MeterKind.FIXED_WINDOW;
    }

    @Override
    public long[] numbers() {
        return new long[] {requests, window};
    }

    @Override
    public long tickMicros() {
        return 1;
    }

    @Override
    long returnable(Outcome taken) {
        return taken.reset;
    }

    @Override
    public long windowOf(Outcome taken) {
        return taken.state0;
    }

    @Override
    public void apply(long state0, long state1, long now, long hits, boolean countDenied, Outcome out) {
        long moment = ExactMath.moment(now);
        long start = ExactMath.divide(moment, window, windowReciprocal) * window;
        long count = state0 < start ? 0 : state1 & (ExactMath.BOUND - 1);
        boolean clamped = false;
        if (count != 0 && state0 >= start + window) {
            clamped = state0 > moment + window;
            start = clamped ? start : state0;
        }
        long after = ExactMath.saturate(count, hits);
        out.allowed = hits < 0 || after <= requests;
        out.reset = start + window - moment;
        out.retryAfter = out.allowed ? 0 : hits > requests ? Outcome.NEVER : out.reset;
        out.delay = 0;
        boolean counts = hits != 0 && (out.allowed || countDenied);
        long kept = counts ? after : count;
        out.remaining = Math.max(0, requests - kept);
        out.used = share.of(Math.min(requests, kept));
        if (counts || clamped) {
            out.state0 = kept == 0 ? 0 : start;
            out.state1 = kept;
        } else {
            out.state0 = state0;
            out.state1 = state1;
        }
    }
}

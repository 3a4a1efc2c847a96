package dev.weir.internal.algorithm;

import dev.weir.CalendarWindow;
import dev.weir.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A count that starts anew in every window aligned to the Unix epoch, or in every window of the calendar.
 *
 * <pre>
 *   start = now - now mod window, or the start of the calendar's window
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
    private final @Nullable CalendarWindow calendar;

    FixedWindow(Limit limit) {
        super(limit);
        this.requests = limit.requests();
        this.window = limit.windowMicros();
        this.windowReciprocal = ExactMath.reciprocal(window);
        this.share = new UsedShare(requests);
        this.calendar = limit.calendar();
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
        return new long[] {requests, window, calendar == null ? 0 : code(calendar)};
    }

    /** The script's number of a window of the calendar. */
    private static long code(CalendarWindow calendar) {
        return switch (calendar) {
            case DAY -> 1;
            case WEEK -> 2;
            case MONTH -> 3;
            case YEAR -> 4;
        };
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
    public void charge(long state0, long state1, long now, long hits, Outcome out) {
        apply(state0, state1, now, hits, true, out);
        out.allowed = true;
        out.retryAfter = 0;
    }

    @Override
    public void apply(long state0, long state1, long now, long hits, boolean countDenied, Outcome out) {
        long moment = ExactMath.moment(now);
        long start = startOf(moment);
        long end = endOf(start, moment);
        long count = state0 < start ? 0 : state1 & (ExactMath.BOUND - 1);
        boolean clamped = false;
        if (count != 0 && state0 >= end) {
            clamped = state0 > moment + window;
            if (!clamped) {
                start = state0;
                end = endOf(state0, state0);
            }
        }
        long after = ExactMath.saturate(count, hits);
        out.allowed = hits < 0 || after <= requests;
        out.reset = end - moment;
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

    /** The start of the window of {@code moment}. Apart from {@link #apply}, so that the JIT inlines all of it. */
    private long startOf(long moment) {
        return calendar == null ? ExactMath.divide(moment, window, windowReciprocal) * window : calendar.start(moment);
    }

    /** The end of the window of {@code moment}, which began at {@code start}. */
    private long endOf(long start, long moment) {
        return calendar == null ? start + window : calendar.end(moment);
    }
}

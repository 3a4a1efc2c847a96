package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;

/** Computes the share of a limit that one process enforces alone while the shared store does not answer. */
public final class LocalShare {
    /**
     * The largest divisor tried; a larger one is needed only for bursts of hundreds of millions in windows of decades.
     */
    private static final long MOST_TRIED = 1 << 16;

    private LocalShare() {}

    /**
     * Computes {@code millionths} of {@code limit}, rounded down to a limit that can be counted; a limit above 0 stays
     * at least 1 if possible. A rate that is not an exact fraction becomes one if requests and window have a large
     * enough common divisor.
     */
    public static Limit of(Limit limit, int millionths) {
        long requests = shareOf(limit.requests(), millionths);
        long window = limit.windowMicros();
        for (long divisor = 1; divisor <= Math.min(requests, MOST_TRIED); divisor++) {
            if (window % divisor == 0) {
                Limit share = with(limit, requests - requests % divisor, millionths);
                if (Meters.refusal(share) == null) {
                    return share;
                }
            }
        }
        return with(limit, 0, millionths); // never more than the share may pass
    }

    private static Limit with(Limit limit, long requests, int millionths) {
        long burst = shareOf(limit.burst(), millionths);
        // A share of the credit may round down to none: nothing has to pass on credit.
        long credit = limit.credit() == 0 ? 0 : partOf(limit.credit(), millionths);
        return new Limit(
                limit.algorithm(), requests, limit.windowMicros(), burst, limit.subWindows(), limit.calendar(), credit);
    }

    private static long shareOf(long whole, int millionths) {
        if (whole == 0) {
            return 0;
        }
        return Math.max(1, partOf(whole, millionths));
    }

    private static long partOf(long whole, int millionths) {
        long million = LimiterSettings.WHOLE;
        return whole / million * millionths + whole % million * millionths / million;
    }
}

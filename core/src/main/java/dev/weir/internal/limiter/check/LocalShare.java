package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;

/** The part of a limit that one process enforces on its own while the shared store does not answer. */
public final class LocalShare {
    /** A divisor that is larger is needed only for bursts of hundreds of millions in windows of decades. */
    private static final long MOST_TRIED = 1 << 16;

    private LocalShare() {}

    /**
     * {@code millionths} of {@code limit}: rounded down to what can be counted, but what lets something pass still lets one, if that can
     * be. A rate that is no exact fraction becomes one when requests and window have a large enough divisor in common.
     */
    public static Limit of(Limit limit, int millionths) {
        long requests = part(limit.requests(), millionths);
        long window = limit.windowMicros();
        for (long divisor = 1; divisor <= Math.min(requests, MOST_TRIED); divisor++) {
            if (window % divisor == 0) {
                Limit part = with(limit, requests - requests % divisor, millionths);
                if (Meters.refusal(part) == null) {
                    return part;
                }
            }
        }
        return with(limit, 0, millionths); // for never more than the share may pass
    }

    private static Limit with(Limit limit, long requests, int millionths) {
        long burst = part(limit.burst(), millionths);
        return new Limit(limit.algorithm(), requests, limit.windowMicros(), burst, limit.subWindows());
    }

    private static long part(long whole, int millionths) {
        if (whole == 0) {
            return 0;
        }
        long million = LimiterSettings.WHOLE;
        long part = whole / million * millionths + whole % million * millionths / million;
        return Math.max(1, part);
    }
}

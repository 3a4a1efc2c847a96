package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.math.BigInteger;

/** How long a limit remembers hits. */
public final class UsedHits {
    private UsedHits() {}

    /** When hits that were taken at {@code micros} no longer count. */
    public static long end(Limit limit, long micros) {
        return switch (limit.algorithm()) {
            case FIXED_WINDOW -> limit.windowEnd(micros);
            case SLIDING_WINDOW -> limit.windowEnd(micros) + limit.windowMicros();
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> micros + Math.max(limit.windowMicros(), refill(limit));
            case SLIDING_WINDOW_LOG, CONCURRENCY -> micros + limit.windowMicros();
        };
    }

    /** How long an empty bucket takes to be full, microseconds; a century at most. */
    private static long refill(Limit limit) {
        if (limit.requests() == 0) {
            return 0;
        }
        BigInteger micros = BigInteger.valueOf(limit.capacity())
                .multiply(BigInteger.valueOf(limit.windowMicros()))
                .divide(BigInteger.valueOf(limit.requests()));
        return micros.min(BigInteger.ONE.shiftLeft(52)).longValueExact();
    }
}

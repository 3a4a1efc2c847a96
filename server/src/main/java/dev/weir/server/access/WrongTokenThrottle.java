package dev.weir.server.access;

import dev.weir.Limit;
import dev.weir.RateLimiter;
import dev.weir.TimeSource;
import dev.weir.Verdict;
import io.netty.util.NetUtil;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Slows down whoever tries tokens: ten wrong ones from an address, then one every six seconds.
 *
 * <p><b>What is counted together.</b> Wrong secrets for one token, from one address. An address alone would be simpler, but then
 * a script that has kept a revoked token would lock out the operator on the same machine; so an id that is known is counted
 * on its own, and all that can open nothing is counted as one.
 */
final class WrongTokenThrottle {
    private static final System.Logger LOG = System.getLogger(WrongTokenThrottle.class.getName());
    private static final Limit LIMIT = Limit.tokenBucket(10, Duration.ofMinutes(1));
    private static final int MOST_KEYS = 16_384;
    private static final int NETWORK = 8;

    private final RateLimiter limiter;

    WrongTokenThrottle(TimeSource time) {
        limiter = RateLimiter.builder(LIMIT).maxKeys(MOST_KEYS).time(time).open();
    }

    /** Seconds until {@code address} may try again; 0 if it may now. */
    long wait(String address, String which) {
        Verdict verdict = limiter.probe(key(address, which));
        Duration wait = verdict.retryAfter();
        return verdict.allowed() || wait == null
                ? 0
                : Math.max(1, wait.plusMillis(999).toSeconds());
    }

    /** Notes a wrong one. */
    void failed(String address, String which) {
        Verdict verdict = limiter.check(key(address, which), 1);
        if (verdict.allowed() && verdict.remaining() == 0) {
            LOG.log(Level.WARNING, "wrong tokens from " + address + ": it has to wait before it may try more");
        }
    }

    private static String key(String address, String which) {
        return network(address) + " " + which;
    }

    /** Who has one address of version 6 has a whole network of them. */
    private static String network(String address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        return bytes == null || bytes.length < 2 * NETWORK
                ? address
                : HexFormat.of().formatHex(Arrays.copyOf(bytes, NETWORK));
    }
}

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
 * Throttles wrong tokens: ten from an address at once, then one every six seconds.
 *
 * <p><b>Scope.</b> Wrong secrets are counted per token id and address. Counting by address alone would be simpler, but
 * a script with a revoked token would then lock out the operator on the same machine. So every known id is counted on
 * its own, and all unknown ones together.
 */
final class WrongTokenThrottle {
    private static final System.Logger LOG = System.getLogger(WrongTokenThrottle.class.getName());
    private static final Limit LIMIT = Limit.tokenBucket(10, Duration.ofMinutes(1));
    private static final int MAX_KEYS = 16_384;
    private static final int NETWORK_BYTES = 8;

    private final RateLimiter limiter;

    WrongTokenThrottle(TimeSource time) {
        limiter = RateLimiter.builder(LIMIT).maxKeys(MAX_KEYS).time(time).open();
    }

    /** The seconds until {@code address} may try again; 0 if it may now. */
    long wait(String address, String tokenId) {
        Verdict verdict = limiter.probe(key(address, tokenId));
        Duration wait = verdict.retryAfter();
        return verdict.allowed() || wait == null
                ? 0
                : Math.max(1, wait.plusMillis(999).toSeconds());
    }

    /** Counts a wrong token. */
    void failed(String address, String tokenId) {
        Verdict verdict = limiter.check(key(address, tokenId), 1);
        if (verdict.allowed() && verdict.remaining() == 0) {
            LOG.log(Level.WARNING, "too many wrong tokens from " + address + ": throttled to one attempt every 6 s");
        }
    }

    private static String key(String address, String tokenId) {
        return network(address) + " " + tokenId;
    }

    /** The network of an address. A holder of one IPv6 address has a whole network of them. */
    private static String network(String address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        return bytes == null || bytes.length < 2 * NETWORK_BYTES
                ? address
                : HexFormat.of().formatHex(Arrays.copyOf(bytes, NETWORK_BYTES));
    }
}

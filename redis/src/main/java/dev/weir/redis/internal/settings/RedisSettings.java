package dev.weir.redis.internal.settings;

import dev.weir.redis.BreakerSettings;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.TlsSettings;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A Redis and how to use it: everything that a store on it is built from.
 *
 * @param address where Redis is
 * @param credentials asked anew at every connect, so that a changed password file is seen; {@link #of} takes those of the address
 * @param sentinelCredentials who we are to the sentinels, which mostly ask for nothing; asked as often
 * @param deadline how long an answer is waited for where the ask does not say
 * @param connections to each node; more than one only where a single one is the bottleneck, for one queue coalesces best
 * @param maxWaiting asks that may wait for one connection; more are overloaded at once
 * @param connectTimeout for a connection to stand, greeting included
 * @param keyPrefix stands before every key; empty for none
 */
public record RedisSettings(
        RedisAddress address,
        Supplier<RedisCredentials> credentials,
        Supplier<RedisCredentials> sentinelCredentials,
        TlsSettings tls,
        Duration deadline,
        int connections,
        int maxWaiting,
        Duration connectTimeout,
        BreakerSettings breaker,
        String keyPrefix) {
    public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(10);

    public RedisSettings {
        positive("deadline", deadline);
        positive("connect_timeout", connectTimeout);
        if (connections < 1 || connections > 64) {
            throw new IllegalArgumentException("connections: " + connections + " (expected: 1 to 64)");
        }
        if (maxWaiting < 1) {
            throw new IllegalArgumentException("max_waiting: " + maxWaiting + " (expected: >= 1)");
        }
        if (!RedisKeyPrefix.isValid(keyPrefix)) {
            throw new IllegalArgumentException(
                    "key_prefix: \"" + keyPrefix + "\" (expected: " + RedisKeyPrefix.EXPECTED + ")");
        }
    }

    /**
     * The defaults for the Redis at {@code uri}.
     *
     * @throws IllegalArgumentException if it is no address: see {@link RedisAddress#parse}
     */
    public static RedisSettings of(String uri) {
        RedisAddress address = RedisAddress.parse(uri);
        return new RedisSettings(
                address,
                address::credentials,
                () -> RedisCredentials.NONE,
                TlsSettings.DEFAULT,
                DEFAULT_DEADLINE,
                1,
                16_384,
                Duration.ofSeconds(1),
                BreakerSettings.of(DEFAULT_DEADLINE),
                "");
    }

    public RedisSettings withCredentials(Supplier<RedisCredentials> from) {
        return new RedisSettings(
                address,
                from,
                sentinelCredentials,
                tls,
                deadline,
                connections,
                maxWaiting,
                connectTimeout,
                breaker,
                keyPrefix);
    }

    public RedisSettings withSentinelCredentials(Supplier<RedisCredentials> from) {
        return new RedisSettings(
                address, credentials, from, tls, deadline, connections, maxWaiting, connectTimeout, breaker, keyPrefix);
    }

    public RedisSettings withTls(TlsSettings how) {
        return new RedisSettings(
                address,
                credentials,
                sentinelCredentials,
                how,
                deadline,
                connections,
                maxWaiting,
                connectTimeout,
                breaker,
                keyPrefix);
    }

    /** With another deadline, and with batches that take longer than it being slow. */
    public RedisSettings withDeadline(Duration longest) {
        BreakerSettings numbers = new BreakerSettings(
                breaker.window(),
                breaker.minimum(),
                breaker.failurePercent(),
                longest,
                breaker.firstProbe(),
                breaker.lastProbe());
        return new RedisSettings(
                address,
                credentials,
                sentinelCredentials,
                tls,
                longest,
                connections,
                maxWaiting,
                connectTimeout,
                numbers,
                keyPrefix);
    }

    public RedisSettings withConnections(int perNode) {
        return new RedisSettings(
                address,
                credentials,
                sentinelCredentials,
                tls,
                deadline,
                perNode,
                maxWaiting,
                connectTimeout,
                breaker,
                keyPrefix);
    }

    public RedisSettings withMaxWaiting(int asks) {
        return new RedisSettings(
                address,
                credentials,
                sentinelCredentials,
                tls,
                deadline,
                connections,
                asks,
                connectTimeout,
                breaker,
                keyPrefix);
    }

    public RedisSettings withBreaker(BreakerSettings numbers) {
        return new RedisSettings(
                address,
                credentials,
                sentinelCredentials,
                tls,
                deadline,
                connections,
                maxWaiting,
                connectTimeout,
                numbers,
                keyPrefix);
    }

    /** With {@code prefix} before every key. */
    public RedisSettings withKeyPrefix(String prefix) {
        return new RedisSettings(
                address,
                credentials,
                sentinelCredentials,
                tls,
                deadline,
                connections,
                maxWaiting,
                connectTimeout,
                breaker,
                prefix);
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: > 0)");
        }
    }
}

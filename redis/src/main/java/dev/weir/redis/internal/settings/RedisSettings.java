package dev.weir.redis.internal.settings;

import dev.weir.redis.BreakerSettings;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.TlsSettings;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A Redis and how to use it: everything that a store on it is built from.
 *
 * @param address where Redis is
 * @param credentials read at every connect, so that a changed password file takes effect; {@link #of} takes those of the address
 * @param sentinelCredentials the credentials for sentinels, which often need none; read at every connect
 * @param deadline how long to wait for a reply if the ask does not say
 * @param connections to each node; one queue batches best, so take more only if one connection is the bottleneck
 * @param maxWaiting how many asks may wait for one connection; the store refuses more at once
 * @param connectTimeout how long to wait for a connection and its greeting
 * @param keyPrefix the text before every key; may be empty
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
        return with(fields -> fields.credentials = from);
    }

    public RedisSettings withSentinelCredentials(Supplier<RedisCredentials> from) {
        return with(fields -> fields.sentinelCredentials = from);
    }

    public RedisSettings withTls(TlsSettings how) {
        return with(fields -> fields.tls = how);
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
        return with(fields -> {
            fields.deadline = longest;
            fields.breaker = numbers;
        });
    }

    public RedisSettings withConnections(int perNode) {
        return with(fields -> fields.connections = perNode);
    }

    public RedisSettings withMaxWaiting(int asks) {
        return with(fields -> fields.maxWaiting = asks);
    }

    public RedisSettings withBreaker(BreakerSettings numbers) {
        return with(fields -> fields.breaker = numbers);
    }

    /** With {@code prefix} before every key. */
    public RedisSettings withKeyPrefix(String prefix) {
        return with(fields -> fields.keyPrefix = prefix);
    }

    private RedisSettings with(Consumer<Fields> change) {
        Fields fields = new Fields(this);
        change.accept(fields);
        return fields.settings();
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: > 0)");
        }
    }

    /** A copy of settings while some of its fields are changed. */
    private static final class Fields {
        private final RedisSettings from;
        private Supplier<RedisCredentials> credentials;
        private Supplier<RedisCredentials> sentinelCredentials;
        private TlsSettings tls;
        private Duration deadline;
        private int connections;
        private int maxWaiting;
        private BreakerSettings breaker;
        private String keyPrefix;

        Fields(RedisSettings from) {
            this.from = from;
            credentials = from.credentials;
            sentinelCredentials = from.sentinelCredentials;
            tls = from.tls;
            deadline = from.deadline;
            connections = from.connections;
            maxWaiting = from.maxWaiting;
            breaker = from.breaker;
            keyPrefix = from.keyPrefix;
        }

        RedisSettings settings() {
            return new RedisSettings(
                    from.address,
                    credentials,
                    sentinelCredentials,
                    tls,
                    deadline,
                    connections,
                    maxWaiting,
                    from.connectTimeout,
                    breaker,
                    keyPrefix);
        }
    }
}

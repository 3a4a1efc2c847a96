package dev.weir.redis;

import dev.weir.Store;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.DescribedRedis;
import java.util.function.Supplier;

/**
 * Describes a Redis, or a Valkey, that holds counters for several processes: standalone, behind Sentinel, or a cluster.
 *
 * <pre>{@code
 * Weir weir = Weir.open(rules, RedisStore.at("redis://redis:6379"));
 * }</pre>
 *
 * <p>It opens nothing; the {@code Weir} or {@code RateLimiter} that it is given to connects. Each {@code with…} returns a copy.
 */
public interface RedisStore extends Store {

    /**
     * The Redis at {@code uri}: {@code redis://[user:password@]host:port[/database]}, {@code redis-cluster://h1:p1,h2:p2} or {@code
     * redis-sentinel://name@h1:p1,h2:p2}; {@code rediss}, {@code rediss-cluster} and {@code rediss-sentinel} with TLS.
     *
     * @throws IllegalArgumentException if it is none of these; the message does not repeat a password
     */
    static RedisStore at(String uri) {
        return new DescribedRedis(RedisSettings.of(uri));
    }

    /** Authenticates with {@code credentials}, which are asked for at every connect, so that a changed password is seen. */
    RedisStore withCredentials(Supplier<RedisCredentials> credentials);

    /** Authenticates to the sentinels with {@code credentials}; they mostly ask for none. */
    RedisStore withSentinelCredentials(Supplier<RedisCredentials> credentials);

    /** Trusts and presents the certificates of {@code tls}, where the address begins with {@code rediss}. */
    RedisStore withTls(TlsSettings tls);

    /** Opens so many connections to each server; one unless said, which batches best. */
    RedisStore withConnections(int perServer);

    /** Stops asking a server that fails by the numbers of {@code breaker}. */
    RedisStore withBreaker(BreakerSettings breaker);
}

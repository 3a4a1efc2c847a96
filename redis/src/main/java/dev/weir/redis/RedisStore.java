package dev.weir.redis;

import dev.weir.Store;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.DescribedRedis;
import java.util.function.Supplier;

/**
 * Describes a Redis or Valkey that holds counters for several processes: standalone, behind Sentinel, or a cluster.
 *
 * <pre>{@code
 * Weir weir = Weir.open(rules, RedisStore.at("redis://redis:6379"));
 * }</pre>
 *
 * <p>It opens nothing; the {@code Weir} or {@code RateLimiter} that receives it connects. Each {@code with…} returns a
 * copy.
 */
public interface RedisStore extends Store {

    /**
     * Describes the Redis at {@code uri}: {@code redis://[user:password@]host:port[/database]},
     * {@code redis-cluster://h1:p1,h2:p2} or {@code redis-sentinel://name@h1:p1,h2:p2}. With TLS the schemes are
     * {@code rediss}, {@code rediss-cluster} and {@code rediss-sentinel}.
     *
     * @throws IllegalArgumentException if it is none of these; the message does not repeat a password
     */
    static RedisStore at(String uri) {
        return new DescribedRedis(RedisSettings.of(uri));
    }

    /**
     * Authenticates with {@code credentials}. The supplier is called at every connect, so a changed password takes
     * effect.
     */
    RedisStore withCredentials(Supplier<RedisCredentials> credentials);

    /** Authenticates to the sentinels with {@code credentials}; most sentinels need none. */
    RedisStore withSentinelCredentials(Supplier<RedisCredentials> credentials);

    /** Trusts and presents the certificates of {@code tls}, if the scheme begins with {@code rediss}. */
    RedisStore withTls(TlsSettings tls);

    /** Opens this number of connections to each server; 1 by default, which batches best. */
    RedisStore withConnections(int perServer);

    /** Stops asking a failing server according to {@code breaker}. */
    RedisStore withBreaker(BreakerSettings breaker);
}

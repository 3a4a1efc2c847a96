package dev.weir.redis.internal.store;

import dev.weir.internal.store.OpenedStore;
import dev.weir.internal.store.StoreDescription;
import dev.weir.redis.BreakerSettings;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.RedisStore;
import dev.weir.redis.TlsSettings;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.connection.LettuceVersion;
import dev.weir.redis.internal.settings.RedisSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/** A {@link RedisStore}: the settings of a Redis, and how it is opened. */
public record DescribedRedis(RedisSettings settings, boolean ownBreaker) implements RedisStore, StoreDescription {

    public DescribedRedis(RedisSettings settings) {
        this(settings, false);
    }

    @Override
    public RedisStore withCredentials(Supplier<RedisCredentials> credentials) {
        return new DescribedRedis(settings.withCredentials(credentials), ownBreaker);
    }

    @Override
    public RedisStore withSentinelCredentials(Supplier<RedisCredentials> credentials) {
        return new DescribedRedis(settings.withSentinelCredentials(credentials), ownBreaker);
    }

    @Override
    public RedisStore withTls(TlsSettings tls) {
        return new DescribedRedis(settings.withTls(tls), ownBreaker);
    }

    @Override
    public RedisStore withConnections(int perServer) {
        return new DescribedRedis(settings.withConnections(perServer), ownBreaker);
    }

    @Override
    public RedisStore withBreaker(BreakerSettings breaker) {
        return new DescribedRedis(settings.withBreaker(breaker), true);
    }

    /** With {@code deadline}; a batch that takes longer is slow to the breaker, unless the user said what is. */
    @Override
    public OpenedStore open(Duration deadline) {
        RedisSettings timed = settings.withDeadline(deadline);
        if (ownBreaker) {
            timed = timed.withBreaker(settings.breaker());
        }
        try {
            // Connections read this again, in the background. Here it fails where the user sees it.
            var unused = LettuceSetup.options(timed);
            return RedisSharedStore.open(timed);
        } catch (IOException e) {
            throw new IllegalArgumentException("tls: " + e.getMessage(), e);
        } catch (LinkageError e) {
            throw new IllegalStateException(LettuceVersion.mismatch(e), e);
        }
    }

    @Override
    public String toString() {
        return settings.address().toString();
    }
}

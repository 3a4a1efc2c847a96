package dev.weir.server.warmup;

import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import java.time.Duration;

/**
 * Opens a Redis store at an address where nothing listens, so that the archive of classes has those that a server on
 * Redis loads. The outcome does not matter.
 */
public final class StoreRehearsal {
    private static final String NOWHERE = "redis://127.0.0.1:1";
    private static final Duration AT_MOST = Duration.ofMillis(200);

    private StoreRehearsal() {}

    public static void run() {
        try (RedisSharedStore redis = RedisSharedStore.open(RedisSettings.of(NOWHERE))) {
            boolean unused = redis.warmUp(AT_MOST);
        }
    }
}

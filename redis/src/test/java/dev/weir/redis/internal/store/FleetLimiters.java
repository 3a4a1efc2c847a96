package dev.weir.redis.internal.store;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Nodes of a fleet: each a limiter with a connection of its own to the Redis they share. */
public final class FleetLimiters {
    private FleetLimiters() {}

    public static Limiter on(RedisSharedStore store, WrittenRules rules, Duration deadline) {
        return on(store, rules, deadline, TimeSource.system());
    }

    public static Limiter on(RedisSharedStore store, WrittenRules rules, Duration deadline, TimeSource time) {
        LimiterSettings settings = LimiterSettings.defaults().withDeadlineMicros(deadline.toNanos() / 1_000);
        return new Limiter(
                rules, new MemoryStore(10_000), SharedStores.of(store), time, settings, new LimiterObserver() {});
    }

    /** Decides and waits for it. */
    public static MutableDecision decide(Limiter limiter, Request request) {
        try {
            return limiter.decideAsync(request).toCompletableFuture().get(5, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("not decided", e);
        }
    }
}

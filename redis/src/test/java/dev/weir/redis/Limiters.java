package dev.weir.redis;

import dev.weir.limiter.Limiter;
import dev.weir.limiter.LimiterObserver;
import dev.weir.limiter.LimiterSettings;
import dev.weir.limiter.SharedStores;
import dev.weir.match.RuleSet;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.model.TimeSource;
import dev.weir.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Nodes of a fleet: each a limiter with a connection of its own to the Redis they share. */
final class Limiters {
    private Limiters() {}

    static Limiter on(RedisStore store, RuleSet rules, Duration deadline) {
        return on(store, rules, deadline, TimeSource.system());
    }

    static Limiter on(RedisStore store, RuleSet rules, Duration deadline, TimeSource time) {
        LimiterSettings settings = LimiterSettings.defaults().withDeadlineMicros(deadline.toNanos() / 1_000);
        return new Limiter(
                rules, new MemoryStore(10_000), SharedStores.of(store), time, settings, new LimiterObserver() {});
    }

    /** Decides and waits for it. */
    static Decision decide(Limiter limiter, Request request) {
        try {
            return limiter.decideAsync(request).toCompletableFuture().get(5, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("not decided", e);
        }
    }
}

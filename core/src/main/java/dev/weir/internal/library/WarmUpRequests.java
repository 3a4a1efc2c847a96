package dev.weir.internal.library;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Decides some synthetic requests before the first real one. Warming up a store does not warm up the limiter above it,
 * and a cold limiter misses its deadline. The requests use a counter that the store expires within seconds.
 */
final class WarmUpRequests {
    private static final String DOMAIN = "weir#warm-up";
    /** The number of requests: too few to open a breaker. */
    private static final int COUNT = 40;

    private WarmUpRequests() {}

    /** Decides the requests through {@code store}, until {@code nanos} have passed or this thread is interrupted. */
    static void decide(SharedStore store, long nanos) {
        long end = System.nanoTime() + nanos;
        long most = Math.max(1, TimeUnit.NANOSECONDS.toMicros(nanos));
        Rule rule = Rule.builder(DOMAIN, "all")
                .limit(Limit.fixedWindow(COUNT / 2, Duration.ofSeconds(1)))
                .build();
        WrittenRules rules = WrittenRules.builder()
                .weir(DOMAIN, List.of(new WeirRule(rule, List.of(), KeyBy.of("user"))))
                .build();
        try (MemoryStore memory = new MemoryStore(1)) {
            Limiter limiter = new Limiter(
                    rules,
                    memory,
                    SharedStores.of(store),
                    TimeSource.system(),
                    LimiterSettings.defaults().withDeadlineMicros(most),
                    new LimiterObserver() {});
            for (int i = 0; i < COUNT && System.nanoTime() - end < 0; i++) {
                Request request = Request.to(DOMAIN).with("user", "nobody");
                limiter.decideAsync(request).toCompletableFuture().get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a warm-up decision failed", e);
        }
    }
}

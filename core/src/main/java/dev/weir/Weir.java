package dev.weir;

import dev.weir.limiter.Limiter;
import dev.weir.limiter.LimiterObserver;
import dev.weir.limiter.LimiterSettings;
import dev.weir.match.RuleSet;
import dev.weir.model.TimeSource;
import dev.weir.store.memory.MemoryStore;

/**
 * Where a service that has rules rather than one limit begins.
 *
 * <pre>{@code
 * Limiter limiter = Weir.inMemory(rules);
 * Decision decision = limiter.decide(Request.to("api").with("user_id", "u_42").asAttributes());
 * if (!decision.allowed()) ...
 * }</pre>
 *
 * Nothing here blocks.
 */
public final class Weir {
    private Weir() {}

    /** A limiter that counts in the memory of this process, by the system's clock. */
    public static Limiter inMemory(RuleSet rules) {
        return inMemory(rules, TimeSource.system());
    }

    /** A limiter that counts in the memory of this process, by {@code time}. */
    public static Limiter inMemory(RuleSet rules, TimeSource time) {
        return new Limiter(rules, new MemoryStore(), time, LimiterSettings.defaults(), new LimiterObserver() {});
    }
}

package dev.weir;

import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.store.memory.MemoryStore;
import java.util.Objects;

/**
 * Where a service that has rules rather than one limit begins.
 *
 * <pre>{@code
 * Limiter limiter = Weir.inMemory(rules);
 * Decision decision = limiter.decide(Request.to("api").with("user_id", "u_42").asAttributes());
 * if (!decision.allowed()) ...
 * }</pre>
 *
 * Nothing here blocks. Limits that several processes share are the business of the module {@code weir-redis}.
 */
public final class Weir {
    private Weir() {}

    /** A limiter that counts in the memory of this process, up to a million counters at a time, by the system's clock. */
    public static Limiter inMemory(RuleSet rules) {
        return builder(rules).build();
    }

    /** Starts a limiter with a bound on counters, a clock or an observer of its own. */
    public static Builder builder(RuleSet rules) {
        return new Builder(rules);
    }

    /** What a limiter needs besides its rules; every part has a default. */
    public static final class Builder {
        private final RuleSet rules;
        private int maxKeys = 1_000_000;
        private TimeSource time = TimeSource.system();
        private LimiterObserver observer = new LimiterObserver() {};

        private Builder(RuleSet rules) {
            this.rules = Objects.requireNonNull(rules, "rules");
        }

        /** How many counters there are at a time before the least used are forgotten; a million unless said. */
        public Builder maxKeys(int maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
            }
            this.maxKeys = maxKeys;
            return this;
        }

        /** The clock; the system's unless said. Tests give one that they turn themselves. */
        public Builder time(TimeSource time) {
            this.time = Objects.requireNonNull(time, "time");
            return this;
        }

        /** Who is told of every decision; nobody unless said. */
        public Builder observer(LimiterObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * The limiter.
         *
         * @throws IllegalArgumentException if a limit cannot be counted, or a rule names a store of its own: here is one only
         */
        public Limiter build() {
            return new Limiter(rules, new MemoryStore(maxKeys), time, LimiterSettings.defaults(), observer);
        }
    }
}

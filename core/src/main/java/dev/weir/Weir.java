package dev.weir;

import dev.weir.internal.model.Rule;
import dev.weir.internal.store.StoreDescription;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * Decides requests by rules, whatever stands behind it: the memory of this process, or a store that several processes share.
 *
 * <pre>{@code
 * try (Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")), RedisStore.at("redis://redis:6379"))) {
 *     Decision decision = weir.decide(Request.to("api").with("user_id", "u_42"));
 *     if (!decision.allowed()) ...
 * }
 * }</pre>
 *
 * <p>One {@code Weir} serves the whole process. It owns what it opened: connections, a timer, the watching of files.
 *
 * <h2>Which calls block</h2>
 *
 * {@link #decide} waits for a shared store, for the deadline of the rules at most; in memory it never waits. {@link #decideAsync} never
 * waits. Opening connects and warms up, and closing gives back what was leased: a second or two each, with a shared store. A store that is
 * slow, stopped or gone is no exception: the rule's {@code on_fail} decides, and the decision is {@linkplain Decision#degraded
 * degraded}. All calls are safe from any thread.
 */
public interface Weir extends AutoCloseable {

    /**
     * Opens {@code rules} with counters in the memory of this process.
     *
     * @throws IllegalArgumentException if the rules are wrong, a limit cannot be counted, or a rule names a store
     */
    @CheckReturnValue
    static Weir open(RuleSource rules) {
        return builder(rules).open();
    }

    /**
     * Opens {@code rules} with counters in {@code store}. A store that is away is no reason to fail: it is connected to as soon as it is
     * there.
     *
     * @throws IllegalArgumentException if the rules are wrong, a limit cannot be counted, or a rule names another store
     * @throws IllegalStateException if a library that the store needs is missing or too old; the message names the versions
     */
    @CheckReturnValue
    static Weir open(RuleSource rules, Store store) {
        return builder(rules).store(store).open();
    }

    /** Starts a {@code Weir} with several stores, or with another deadline, bound, clock or observer. */
    static Builder builder(RuleSource rules) {
        return new Builder(rules);
    }

    /**
     * Decides {@code request}, and waits for it: for the deadline of its rules at most, and never in memory.
     *
     * @throws IllegalStateException after {@link #close}; also on an event loop of Netty, which must not wait for a shared store: see
     *     {@link #decideAsync}
     */
    @CheckReturnValue
    Decision decide(Request request);

    /**
     * Decides {@code request}, and completes inside the deadline of its rules: on this thread or on one of the store's, so the stages that
     * follow must not block. The request may be reused as soon as this returns.
     *
     * @throws IllegalStateException after {@link #close}
     */
    @CheckReturnValue
    CompletionStage<Decision> decideAsync(Request request);

    /** The rules in force. */
    RuleSet rules();

    /** Whether every store answers at present; always true in memory, and false after {@link #close}. For health checks. */
    boolean serves();

    /**
     * Ends the watching of rules, gives back what was leased, reports what is due, and closes the stores. Decisions are refused from
     * here on.
     */
    @Override
    void close();

    /** Everything that a {@link Weir} needs besides its rules; all of it has a default. */
    final class Builder {
        /** Nobody waits longer, and far beyond it nanoseconds overflow. */
        private static final Duration LONGEST = Duration.ofHours(1);

        final RuleSource rules;
        final Map<String, Store> stores = new LinkedHashMap<>();
        Duration deadline = Duration.ofMillis(10);
        Duration warmUp = Duration.ofSeconds(10);
        int maxKeys = 1_000_000;
        TimeSource time = TimeSource.system();
        WeirObserver observer = new WeirObserver() {};

        private Builder(RuleSource rules) {
            this.rules = Objects.requireNonNull(rules, "rules");
        }

        /** The store of all rules that name none; the memory of this process unless said. */
        public Builder store(Store store) {
            stores.put(Rule.DEFAULT_STORE, Objects.requireNonNull(store, "store"));
            return this;
        }

        /**
         * The store of the rules that say {@code store: name}. If some rules name none, {@link #store(Store)} must say where they count.
         *
         * @throws IllegalArgumentException for {@link Store#memory}, which needs no name
         */
        public Builder store(String name, Store store) {
            Objects.requireNonNull(name, "name");
            if (!(store instanceof StoreDescription)) {
                throw new IllegalArgumentException("store " + name + ": " + store
                        + " (expected: a shared store; a rule counts in memory with consistency: local)");
            }
            stores.put(name, store);
            return this;
        }

        /** How long a decision may wait for a shared store, where its rule says nothing else; 10 ms unless said. */
        public Builder deadline(Duration longest) {
            deadline = within("deadline", longest, Duration.of(1, ChronoUnit.MICROS));
            return this;
        }

        /**
         * How long {@link #open} may take until the way to a shared store is warm: cold, the first answers take longer than a deadline.
         * Ten seconds at most unless said, two where the store is away; with zero, opening does not wait for the connection either.
         */
        public Builder warmUp(Duration atMost) {
            warmUp = within("warmUp", atMost, Duration.ZERO);
            return this;
        }

        /**
         * How many counters this process holds at a time before it forgets the least used; a million unless said. With a shared store
         * these are the counters of rules with {@code consistency: local} or {@code on_fail: local}.
         */
        public Builder maxKeys(int maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
            }
            this.maxKeys = maxKeys;
            return this;
        }

        /** The clock; the system's unless said. Tests give one that they turn themselves. Redis counts by its own. */
        public Builder time(TimeSource time) {
            this.time = Objects.requireNonNull(time, "time");
            return this;
        }

        /** Sees every decision, every failure of a store and every change of the rules. */
        public Builder observer(WeirObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * Loads the rules and opens the stores.
         *
         * @throws IllegalArgumentException if the rules are wrong, a limit cannot be counted, or a rule's store is not among those given
         * @throws IllegalStateException if a library that a store needs is missing or too old; the message names the versions
         */
        @CheckReturnValue
        public Weir open() {
            return OpenedWeir.open(this);
        }

        static Duration within(String name, Duration given, Duration least) {
            if (given.compareTo(least) < 0 || given.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        name + ": " + given + " (expected: " + least + " to " + LONGEST + ")");
            }
            return given;
        }
    }
}

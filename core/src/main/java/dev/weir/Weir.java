package dev.weir;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.PlainDuration;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.RequestCost;
import dev.weir.internal.store.StoreDescription;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * Decides requests by rules, with counters in the memory of this process or in a store that several processes share.
 *
 * <pre>{@code
 * try (Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")), RedisStore.at("redis://redis:6379"))) {
 *     Decision decision = weir.decide(Request.to("api").with("user_id", "u_42"));
 *     if (!decision.allowed()) ...
 * }
 * }</pre>
 *
 * <p>One {@code Weir} serves the whole process. It owns everything it opens: connections, a timer, the file watcher.
 *
 * <h2>Which calls block</h2>
 *
 * {@link #decide} waits for a shared store, for the deadline of the rules at most; in memory it never waits.
 * {@link #decideAsync} never waits. {@link #reserve} and {@link #reserveAsync} do the same. With a shared store, opening and closing take a second or two each: opening
 * connects and warms up, and closing gives back leases. A slow, stopped or missing store causes no exception: the
 * rule's {@code on_fail} decides, and the decision is {@linkplain Decision#degraded degraded}. All calls are
 * thread-safe.
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
     * Opens {@code rules} with counters in {@code store}. Opening succeeds even if the store is unreachable: Weir
     * connects as soon as it can.
     *
     * @throws IllegalArgumentException if the rules are wrong, a limit cannot be counted, or a rule names another store
     * @throws IllegalStateException if a library that the store needs is missing or too old; the message names the
     *     versions
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
     * Decides {@code request}, and waits for the decision: for the deadline of its rules at most, and never in memory.
     *
     * @throws IllegalArgumentException if the request costs more than {@link Builder#maxRequestCost}; nothing is charged
     * @throws IllegalStateException after {@link #close}; also on a Netty event loop, which must not wait for a shared
     *     store: use {@link #decideAsync}
     */
    @CheckReturnValue
    Decision decide(Request request);

    /**
     * Decides {@code request}, and completes within the deadline of its rules. The stage completes on this thread or on
     * a thread of the store, so dependent stages must not block. The request may be reused as soon as this returns.
     *
     * @throws IllegalArgumentException if the request costs more than {@link Builder#maxRequestCost}; nothing is charged
     * @throws IllegalStateException after {@link #close}
     */
    @CheckReturnValue
    CompletionStage<Decision> decideAsync(Request request);

    /**
     * Reserves the hits of {@code request} for a call whose cost is not known yet, for 60 s. As
     * {@link #reserve(Request, Duration)}.
     */
    @CheckReturnValue
    default Hold reserve(Request request) {
        return reserve(request, Hold.DEFAULT_TTL);
    }

    /**
     * Reserves the hits of {@code request}, an estimate, for a call whose cost is not known yet. The hold is settled for
     * the true cost within {@code ttl}; if it is not, the estimate stays charged. All limits take their part, at most
     * what each can ever hold, or none does. They are taken from the store, whatever the {@code consistency} of a rule.
     * Rules with {@code concurrency} do not apply, and nothing waits in a queue. Waits as {@link #decide} does.
     *
     * @throws IllegalArgumentException if {@code ttl} is not within 1 ms and 10 min, or the request gives hits back,
     *     brings its own limit, or costs more than {@link Builder#maxRequestCost}
     * @throws IllegalStateException if there are 100,000 open holds on counters of this process; after {@link #close};
     *     on a Netty event loop, which must not wait for a shared store: use {@link #reserveAsync}
     */
    @CheckReturnValue
    Hold reserve(Request request, Duration ttl);

    /**
     * Reserves as {@link #reserve(Request, Duration)} does, without waiting. The stage completes as that of
     * {@link #decideAsync}. If its future was cancelled before, the hold is released.
     */
    @CheckReturnValue
    CompletionStage<Hold> reserveAsync(Request request, Duration ttl);

    /** The rules in force. */
    RuleSet rules();

    /** Whether every store currently answers, for health checks. Always true in memory; false after {@link #close}. */
    boolean serves();

    /**
     * Stops following the rules, gives back leases, sends pending reports, and closes the stores. Later decisions throw
     * IllegalStateException.
     */
    @Override
    void close();

    /** Collects the options of a {@link Weir} besides its rules; each has a default. */
    final class Builder {
        /** The longest deadline accepted; far beyond it, nanoseconds overflow. */
        private static final Duration LONGEST = Duration.ofHours(1);

        final RuleSource rules;
        final Map<String, Store> stores = new LinkedHashMap<>();
        Duration deadline = Duration.ofMillis(10);
        Duration warmUp = Duration.ofSeconds(10);
        int maxKeys = 1_000_000;
        EndpointForm endpointForm = EndpointForm.NORMAL;
        int maxRequestCost = RequestCost.DEFAULT_MAX;
        TimeSource time = TimeSource.system();
        WeirObserver observer = new WeirObserver() {};

        private Builder(RuleSource rules) {
            this.rules = Objects.requireNonNull(rules, "rules");
        }

        /** Sets the store of all rules that name none; the memory of this process by default. */
        public Builder store(Store store) {
            stores.put(Rule.DEFAULT_STORE, Objects.requireNonNull(store, "store"));
            return this;
        }

        /**
         * Adds the store of the rules that say {@code store: name}. If some rules name no store, {@link #store(Store)}
         * must say where they count.
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

        /** Sets how long a decision may wait for a shared store, unless its rule sets a deadline; 10 ms by default. */
        public Builder deadline(Duration longest) {
            deadline = within("deadline", longest, Duration.of(1, ChronoUnit.MICROS));
            return this;
        }

        /**
         * Sets how long {@link #open} may take to warm up a shared store; without a warm-up, the first answers exceed
         * the deadline. By default ten seconds at most, or two if the store is unreachable. With zero, opening does not
         * wait for the connection either.
         */
        public Builder warmUp(Duration atMost) {
            warmUp = within("warmUp", atMost, Duration.ZERO);
            return this;
        }

        /**
         * Sets how many counters this process holds before it evicts the least used; a million by default. With a
         * shared store these are the counters of rules with {@code consistency: local} or {@code on_fail: local}.
         */
        public Builder maxKeys(int maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
            }
            this.maxKeys = maxKeys;
            return this;
        }

        /**
         * Compares endpoints as they come. By default they are compared in a normal form, so that {@code /login},
         * {@code /login/} and {@code /login?x=1} are one endpoint.
         */
        public Builder rawEndpoints() {
            endpointForm = EndpointForm.RAW;
            return this;
        }

        /**
         * Sets how much a request may cost, in units of one plain check in Redis; 128 by default, and at least. A
         * costlier request is refused before anything is charged. In a shared store, checks that are taken all or none
         * may cost 256 at most, whatever this says.
         */
        public Builder maxRequestCost(int units) {
            if (units < RequestCost.LEAST_MAX) {
                throw new IllegalArgumentException(
                        "maxRequestCost: " + units + " (expected: >= " + RequestCost.LEAST_MAX + ")");
            }
            this.maxRequestCost = units;
            return this;
        }

        /** Sets the clock; the system clock by default. Tests can pass a manual one. Redis counts by its own clock. */
        public Builder time(TimeSource time) {
            this.time = Objects.requireNonNull(time, "time");
            return this;
        }

        /** Sets the observer of every decision, every store failure and every change of the rules. */
        public Builder observer(WeirObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * Loads the rules and opens the stores.
         *
         * @throws IllegalArgumentException if the rules are wrong, a limit cannot be counted, or a rule's store is not
         *     among those given
         * @throws IllegalStateException if a library that a store needs is missing or too old; the message names the
         *     versions
         */
        @CheckReturnValue
        public Weir open() {
            return OpenedWeir.open(this);
        }

        static Duration within(String name, Duration given, Duration least) {
            if (given.compareTo(least) < 0 || given.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(name + ": " + PlainDuration.exact(given) + " (expected: "
                        + PlainDuration.exact(least) + " to " + PlainDuration.exact(LONGEST) + ")");
            }
            return given;
        }
    }
}

package dev.weir.redis.library;

import dev.weir.Consistency;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.explain.VerdictExplanation;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.store.RedisSharedStore;
import io.netty.util.internal.ThreadExecutorMap;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits that any number of processes share: their counters live in Redis, and every process that opens the same rules on the same
 * Redis counts in the same ones.
 *
 * <pre>{@code
 * try (SharedLimiter limiter = SharedLimiter.open(rules, "redis://redis:6379")) {
 *     Decision decision = limiter.decide(Request.to("api").with("user_id", "u_42").asAttributes());
 *     if (!decision.allowed()) ...
 * }
 * }</pre>
 *
 * <h2>Which calls block</h2>
 *
 * {@link #decide} waits for Redis, for the deadline of its rules at most; {@link #decideAsync} never waits. Opening connects and warms
 * up, and closing gives back what was leased: a second or two, more on a busy machine. A Redis that is slow, stopped or gone is no exception: the rule's
 * {@code on_fail} decides, and the decision is {@linkplain MutableDecision#degraded() degraded}. All calls are safe from any thread.
 */
public final class SharedLimiter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SharedLimiter.class.getName());
    /** What the answers to the last give-backs and reports may take beyond the deadline. */
    private static final Duration RETURNING = Duration.ofMillis(250);

    private final Map<String, RedisSharedStore> redis = new LinkedHashMap<>();
    private final MemoryStore memory;
    private final Limiter limiter;
    private final Duration deadline;
    private final ScheduledExecutorService timer;
    private final AtomicBoolean closed = new AtomicBoolean();

    SharedLimiter(SharedLimiterBuilder from) {
        requireStores(from.rules, from.stores.keySet());
        deadline = from.deadline;
        memory = new MemoryStore(from.maxKeys);
        try {
            from.stores.forEach(
                    (name, settings) -> redis.put(name, RedisSharedStore.open(settings.withDeadline(deadline))));
            limiter = new Limiter(
                    from.rules,
                    memory,
                    SharedStores.of(redis),
                    TimeSource.system(),
                    LimiterSettings.defaults().withDeadlineMicros(deadline.toNanos() / 1_000),
                    from.observer);
            warmUp(System.nanoTime() + from.warmUp.toNanos());
        } catch (RuntimeException e) {
            closeStores();
            throw e;
        }
        timer = timer();
        var unused = timer.scheduleWithFixedDelay(
                this::tick, Limiter.TICK_MILLIS, Limiter.TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * A limiter whose counters live in one Redis, with the defaults for all else.
     *
     * @param redis an address, as {@link dev.weir.redis.RedisAddress#parse} takes it
     * @throws IllegalArgumentException if it is none, if a limit cannot be counted, or if a rule names another store
     */
    public static SharedLimiter open(RuleSet rules, String redis) {
        return builder(rules).store(redis).open();
    }

    /** Starts a limiter with several stores, or with another deadline, bound or observer. */
    public static SharedLimiterBuilder builder(RuleSet rules) {
        return new SharedLimiterBuilder(rules);
    }

    /**
     * Decides {@code request}, and waits for it: for the deadline of its rules at most.
     *
     * @throws IllegalStateException on an event loop of Netty, which must not wait: see {@link #decideAsync}
     */
    public MutableDecision decide(Request request) {
        if (ThreadExecutorMap.currentExecutor() != null) {
            throw new IllegalStateException("decide would hold up an event loop (expected: decideAsync)");
        }
        return limiter.decideAsync(request).toCompletableFuture().join();
    }

    /**
     * Decides {@code request}, and completes inside the deadline of its rules: on this thread or on an event loop of a store, so what
     * is done with it must not block.
     */
    public CompletionStage<MutableDecision> decideAsync(Request request) {
        return limiter.decideAsync(request);
    }

    /** Why {@code verdict}, one of the decision on {@code request}, came out as it did, for people. */
    public VerdictExplanation explain(Request request, MutableVerdict verdict) {
        return limiter.explain(request, verdict);
    }

    /** The rule set in force. */
    public RuleSet rules() {
        return limiter.rules();
    }

    /**
     * Puts a rule set in force for every request decided from now on; what was used stays used.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule's store does not exist; the last set stays
     */
    public void rules(RuleSet next) {
        requireStores(next, redis.keySet());
        limiter.rules(next);
    }

    /** A limiter takes the default store to be this process where none is given; who shares limits never means that. */
    private static void requireStores(RuleSet rules, Set<String> given) {
        for (Rule rule : rules.rules()) {
            boolean shared = rule.limit() != null && rule.consistency() != Consistency.LOCAL;
            if (shared && !given.contains(rule.store())) {
                throw new IllegalArgumentException(
                        rule + ": store: " + rule.store() + " (expected: one of " + given + ")");
            }
        }
    }

    /** Whether every store answers at present. */
    public boolean serves() {
        return redis.values().stream().allMatch(RedisSharedStore::serves);
    }

    /**
     * Gives back what was leased, tells the counts that are still to be reported, and closes the connections. What is decided later finds
     * no store: {@code on_fail} decides it.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        timer.shutdown();
        try {
            limiter.returnLeases()
                    .toCompletableFuture()
                    .orTimeout(deadline.plus(RETURNING).toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(Level.WARNING, "what was leased was not given back in time, and counts as spent: " + e.getCause());
        }
        closeStores();
    }

    /** Whatever happens: a timer that has seen an exception never runs again. */
    private void tick() {
        try {
            limiter.tick();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "leases and reports were not looked after this time", e);
        }
    }

    /** The stores one by one, each with half of the time that is left for its own way, and the rest for the way to it. */
    private void warmUp(long end) {
        redis.values().forEach(store -> {
            long half = (end - System.nanoTime()) / 2;
            if (half > 0 && store.warmUp(Duration.ofNanos(half))) {
                FirstRequests.decide(store, Math.max(1, end - System.nanoTime()));
            }
        });
    }

    private void closeStores() {
        redis.values().forEach(RedisSharedStore::close);
        memory.close();
    }

    private static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor one = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("weir-tick"));
        one.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        return one;
    }
}

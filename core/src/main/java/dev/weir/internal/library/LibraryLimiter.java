package dev.weir.internal.library;

import dev.weir.Consistency;
import dev.weir.Hold;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.PlainDuration;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.queue.WaitTimer;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.OpenedStore;
import dev.weir.internal.store.StoreDescription;
import dev.weir.internal.store.memory.MemoryStore;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A limiter together with the stores it opened and the timer of its leases and reports. Closing it gives back the
 * leases and closes the stores.
 */
public final class LibraryLimiter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.weir");
    /** How much longer than the deadline {@link #close} waits for the answers to the last give-backs and reports. */
    private static final Duration RETURNING = Duration.ofMillis(250);

    private final Map<String, OpenedStore> stores = new LinkedHashMap<>();
    private final MemoryStore memory;
    private final Limiter limiter;
    private final TimeSource time;
    private final Duration deadline;
    private final boolean defaultInMemory;
    private final WaitTimer waits = new WaitTimer();
    private final RequestQueues queues;
    private final @Nullable ScheduledExecutorService timer;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * The options of a limiter.
     *
     * @param stores the stores by their names in rules; with {@code defaultInMemory}, a missing default store is in
     *     memory
     * @param warmUp how long opening may take to warm up the stores
     * @param maxKeys how many counters this process holds
     * @param endpointForm the form in which rules compare endpoints
     * @param maxRequestCost the most that a request may cost, in units of {@link dev.weir.internal.store.RequestCost}
     */
    public record Options(
            Map<String, StoreDescription> stores,
            boolean defaultInMemory,
            Duration deadline,
            Duration warmUp,
            int maxKeys,
            EndpointForm endpointForm,
            int maxRequestCost,
            TimeSource time,
            LimiterObserver observer) {}

    /**
     * Opens the stores and warms them up.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule names a store that is not among those
     *     given
     * @throws IllegalStateException if a store cannot be opened because a library is missing or too old
     */
    public LibraryLimiter(WrittenRules rules, Options options) {
        defaultInMemory = options.defaultInMemory();
        requireStores(rules, options.stores().keySet());
        deadline = options.deadline();
        time = options.time();
        memory = new MemoryStore(options.maxKeys());
        try {
            options.stores().forEach((name, described) -> stores.put(name, described.open(deadline)));
            limiter = new Limiter(
                    rules,
                    memory,
                    stores.isEmpty() ? SharedStores.none() : SharedStores.of(stores),
                    time,
                    LimiterSettings.defaults()
                            .withDeadlineMicros(deadline.toNanos() / 1_000)
                            .withEndpointForm(options.endpointForm())
                            .withMaxRequestCost(options.maxRequestCost()),
                    options.observer());
            queues = new RequestQueues(limiter, time, options.observer(), waits);
            warmUp(System.nanoTime() + options.warmUp().toNanos());
        } catch (RuntimeException | Error e) {
            closeStores();
            throw e;
        }
        timer = stores.isEmpty() ? null : timer();
        if (timer != null) {
            var unused = timer.scheduleWithFixedDelay(
                    this::tick, Limiter.TICK_MILLIS, Limiter.TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** The limiter itself. */
    public Limiter limiter() {
        return limiter;
    }

    /** Whether every counter lives in this process, so that no decision waits. */
    public boolean isInMemory() {
        return stores.isEmpty();
    }

    /** Whether every store currently answers. */
    public boolean serves() {
        return !closed.get() && stores.values().stream().allMatch(OpenedStore::serves);
    }

    /**
     * Decides {@code request}, and waits for its stores, for the deadline of its rules at most, and for its turn if its
     * rules have a queue.
     *
     * @throws IllegalStateException if this is closed, or if it would have to wait on an event loop
     */
    public MutableDecision decide(Request request) {
        if (!isInMemory() || limiter.index().mayWait()) {
            EventLoops.refuse("decide", "decideAsync");
            return decideAsync(request).join();
        }
        requireOpen();
        MutableDecision decision = limiter.decide(request);
        nameCounter(request, decision);
        hold(decision);
        return decision;
    }

    /**
     * Decides {@code request}, and completes within the deadline of its rules, or later if its rules have a queue.
     * Cancelling the future ends the wait.
     *
     * @throws IllegalStateException if this is closed
     */
    public CompletableFuture<MutableDecision> decideAsync(Request request) {
        requireOpen();
        MutableDecision decision = new MutableDecision();
        CompletableFuture<MutableDecision> decided = new CompletableFuture<>();
        boolean here = queues.decide(
                request,
                time.micros(),
                decision,
                () -> new Waiter() {
                    @Override
                    public Executor home() {
                        return Runnable::run;
                    }

                    @Override
                    public void waits(Runnable cancel) {
                        var unused = decided.whenComplete((ignored, thrown) -> {
                            if (decided.isCancelled()) {
                                cancel.run();
                            }
                        });
                    }

                    @Override
                    public void decided(Request asked, MutableDecision buffer) {
                        decision.set(buffer);
                        nameCounter(asked, decision);
                        complete(decided, decision);
                    }
                },
                null);
        if (here) {
            nameCounter(request, decision);
            complete(decided, decision);
        }
        return decided;
    }

    /** Completes {@code decided}; releases the permits if its caller has cancelled it or stopped waiting. */
    private void complete(CompletableFuture<MutableDecision> decided, MutableDecision decision) {
        hold(decision);
        if (!decided.complete(decision)) {
            decision.permit().close();
        }
    }

    private void hold(MutableDecision decision) {
        TakenPermits taken = decision.permits();
        if (taken != null && !taken.held().isEmpty()) {
            decision.permit(new ClosablePermit(limiter, taken.held()));
        }
    }

    /**
     * Reserves the hits of {@code request}, and waits for its stores, for the deadline of its rules at most.
     *
     * @throws IllegalArgumentException if {@code ttl} is out of bounds, or the request cannot be reserved
     * @throws IllegalStateException if this is closed, has too many holds, or would have to wait on an event loop
     */
    public Hold reserve(Request request, Duration ttl) {
        if (!isInMemory()) {
            EventLoops.refuse("reserve", "reserveAsync");
        }
        return reserveAsync(request, ttl).join();
    }

    /**
     * Reserves the hits of {@code request}, and completes within the deadline of its rules. The hold is released if its
     * caller cancelled the future.
     *
     * @throws IllegalArgumentException if {@code ttl} is out of bounds, or the request cannot be reserved
     * @throws IllegalStateException if this is closed, or has too many holds
     */
    public CompletableFuture<Hold> reserveAsync(Request request, Duration ttl) {
        requireOpen();
        if (ttl.compareTo(Holds.SHORTEST_TTL) < 0 || ttl.compareTo(Holds.LONGEST_TTL) > 0) {
            throw new IllegalArgumentException("ttl: " + PlainDuration.exact(ttl) + " (expected: "
                    + PlainDuration.exact(Holds.SHORTEST_TTL) + " to " + PlainDuration.exact(Holds.LONGEST_TTL) + ")");
        }
        CompletableFuture<Hold> reserved = new CompletableFuture<>();
        var unused = limiter.holds().reserve(request, ttl).whenComplete((found, failure) -> {
            if (failure != null) {
                reserved.completeExceptionally(failure);
                return;
            }
            nameCounter(found.request(), found.decision());
            Hold hold = new SettleableHold(limiter.holds(), found);
            if (!reserved.complete(hold)) {
                hold.close();
            }
        });
        return reserved;
    }

    /**
     * Returns whether the hits of {@code request}, which matches one rule, would pass. Takes nothing, and waits for the
     * deadline at most.
     *
     * @throws IllegalStateException if this is closed, or on an event loop
     */
    public MutableVerdict probe(Request request) {
        EventLoops.refuse("probe", "checkAsync");
        requireOpen();
        return limiter.probe(request).toCompletableFuture().join().decision().verdict(0);
    }

    /**
     * Puts a rule set in force for every later request; used hits stay used.
     *
     * @throws IllegalArgumentException if a limit cannot be counted, or a rule's store does not exist; the last set
     *     stays
     */
    public void rules(WrittenRules next) {
        requireStores(next, stores.keySet());
        limiter.rules(next);
    }

    /**
     * Requires the stores that rules name: the limiter would count in memory instead, which a user of shared limits
     * never wants.
     */
    private void requireStores(WrittenRules rules, Set<String> given) {
        if (defaultInMemory && given.isEmpty()) {
            return; // the limiter itself refuses any other name
        }
        for (Rule rule : rules.rules()) {
            boolean shared = rule.limit() != null && rule.consistency() != Consistency.LOCAL;
            boolean here = defaultInMemory && rule.store().equals(Rule.DEFAULT_STORE);
            if (shared && !here && !given.contains(rule.store())) {
                throw new IllegalArgumentException(
                        rule + ": store: " + rule.store() + " (expected: one of " + given + ")");
            }
        }
    }

    /** Names the counter of a denial only: matching an admitted request once more would slow it down. */
    private void nameCounter(Request request, MutableDecision decision) {
        MutableVerdict binding = decision.allowed() ? null : decision.binding();
        CounterLabel counter = binding == null ? null : limiter.index().counter(request, binding);
        if (counter != null) {
            decision.nameCounter(counter.text(), counter.bucket());
        }
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new IllegalStateException("closed (expected: no decision after close())");
        }
    }

    /** Gives back leases, reports the counts that are due, and closes the stores. Later decisions throw. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        queues.close();
        waits.close();
        if (timer != null) {
            timer.shutdown();
            try {
                limiter.returnLeases()
                        .toCompletableFuture()
                        .orTimeout(deadline.plus(RETURNING).toMillis(), TimeUnit.MILLISECONDS)
                        .join();
            } catch (CompletionException e) {
                LOG.log(
                        Level.WARNING,
                        "leases were not returned before the deadline; their hits count as spent: " + e.getCause());
            }
        }
        closeStores();
    }

    /** Runs the periodic work. It catches everything, because a timer never repeats a task that has thrown. */
    private void tick() {
        try {
            limiter.tick();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "expired leases were not returned and counts were not reported; trying again", e);
        }
    }

    /**
     * Warms up the stores one by one: half of the remaining time for the store itself, the rest for the limiter above
     * it.
     */
    private void warmUp(long end) {
        stores.values().forEach(store -> {
            long half = (end - System.nanoTime()) / 2;
            if (half > 0 && store.warmUp(Duration.ofNanos(half))) {
                WarmUpRequests.decide(store, Math.max(1, end - System.nanoTime()));
            }
        });
    }

    private void closeStores() {
        stores.values().forEach(OpenedStore::close);
        memory.close();
    }

    private static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor one = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "weir-tick");
            thread.setDaemon(true);
            return thread;
        });
        one.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        return one;
    }
}

package dev.weir.server;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.server.health.Health;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.lifecycle.FileWatcher;
import dev.weir.server.lifecycle.PeriodicTasks;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.listener.Listeners;
import dev.weir.server.listener.PortCertificates;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import dev.weir.server.metrics.IneffectiveKeyWarnings;
import dev.weir.server.rlqs.QuotaService;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import dev.weir.server.stores.ServerStores;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The server: rules, limiter, gRPC, REST and admin, on one group of event loops.
 *
 * <p><b>Start.</b> The server loads the rules, binds its ports and warms up the decision path. Only then does it
 * report that it is serving.
 *
 * <p><b>Stop.</b> The server reports that it is not serving, but keeps answering for a while so that load balancers can
 * take it out. It then refuses new calls, waits for the calls in flight, returns its leases, writes the last decisions,
 * and closes.
 */
public final class WeirServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final Duration OUTAGE_LOG_PERIOD = Duration.ofSeconds(1);
    private static final Duration RESET_PERIOD = Duration.ofSeconds(1);
    private static final Duration PROBLEM_PERIOD = Duration.ofSeconds(1);
    private static final Duration SHEDDING_LOG_PERIOD = Duration.ofSeconds(10);
    private static final Duration KEY_WARNING_PERIOD = Duration.ofSeconds(10);
    /** Time beyond the deadline in which stores may confirm returned leases. */
    private static final Duration LEASE_RETURN_MARGIN = Duration.ofMillis(250);
    /** Time beyond the drain timeout in which connections are closed. */
    private static final Duration CLOSE_MARGIN = Duration.ofMillis(100);

    private final Settings settings;
    private final CloseStack opened;
    private final Health health;
    private final DecisionObservers observers;
    private final Limiter limiter;
    private final RequestQueues queues;
    private final Listeners listeners;
    private final AtomicBoolean closed = new AtomicBoolean();

    private WeirServer(
            Settings settings,
            CloseStack opened,
            Health health,
            DecisionObservers observers,
            Limiter limiter,
            RequestQueues queues,
            Listeners listeners) {
        this.settings = settings;
        this.opened = opened;
        this.health = health;
        this.observers = observers;
        this.limiter = limiter;
        this.queues = queues;
        this.listeners = listeners;
    }

    /**
     * Starts a server. When this returns, the server is serving.
     *
     * @throws StartException if the rules are invalid, a port is taken or a setting cannot be applied; nothing is left
     *     running then
     */
    public static WeirServer start(Settings settings) throws StartException {
        CloseStack opened = new CloseStack();
        boolean started = false;
        try {
            WeirServer server = start(settings, opened);
            started = true;
            return server;
        } finally {
            if (!started) {
                opened.close();
            }
        }
    }

    /** Builds the components in the order in which they may fail, then starts them. {@code opened} closes them. */
    private static WeirServer start(Settings settings, CloseStack opened) throws StartException {
        TimeSource time = TimeSource.system();
        Health health = new Health();
        MemoryBudget memory = new MemoryBudget(memoryLimits(settings.network()));
        FileWatcher files = opened.add(new FileWatcher());
        PortCertificates certificates = new PortCertificates(settings.tls(), files);
        PolicyComponents policy = new PolicyComponents(settings, files, opened);
        DecisionObservers observers = opened.add(new DecisionObservers(settings, time));
        observers.rules(policy.rules.all());
        DecisionComponents decisions = new DecisionComponents(
                settings,
                time,
                memory,
                observers,
                policy,
                PortComponents.grpcSettings(settings).caps(),
                opened);
        health.degradedBy(() -> Stream.of(decisions.stores.degraded(), policy.control.degraded())
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining("; ")));
        InsightComponents insight = new InsightComponents(
                settings, time, health, memory, certificates, observers, policy, decisions, opened);
        PeriodicTasks tasks = opened.add(new PeriodicTasks());
        PortComponents ports =
                new PortComponents(settings, time, health, memory, certificates, policy, decisions, insight);

        ports.bind();
        decisions.warmUp(settings);
        policy.follow(observers, decisions, settings.healthyWithoutRules() ? null : health, opened);
        files.start();
        repeat(tasks, observers, decisions, insight);
        tasks.every(OUTAGE_LOG_PERIOD, policy.rules::growSlices);
        health.set(Health.State.SERVING);
        insight.start(settings, ports.listeners.admin(), decisions.loops.vertx());
        return new WeirServer(
                settings, opened, health, observers, decisions.limiter, decisions.queues, ports.listeners);
    }

    private static void repeat(
            PeriodicTasks tasks, DecisionObservers observers, DecisionComponents decisions, InsightComponents insight) {
        ServerStores stores = decisions.stores;
        tasks.every(Duration.ofMillis(Limiter.TICK_MILLIS), decisions.limiter::tick);
        tasks.every(QuotaService.TICK, decisions.quotas::tick);
        tasks.every(OUTAGE_LOG_PERIOD, stores::logOutage);
        tasks.every(OUTAGE_LOG_PERIOD, stores::compareEpochs);
        tasks.every(RESET_PERIOD, decisions.counters::applyRemoteResets);
        tasks.every(SHEDDING_LOG_PERIOD, insight.shedding::log);
        tasks.every(PROBLEM_PERIOD, insight.insight::observe);
        tasks.every(KEY_WARNING_PERIOD, new IneffectiveKeyWarnings(observers.ruleMetrics())::check);
    }

    private static MemoryLimits memoryLimits(Settings.Network network) {
        Long bytes = network.memory();
        return bytes == null ? MemoryLimits.ofThisProcess() : MemoryLimits.of(bytes);
    }

    /** The address of the HTTP port, with the port number that it was given. */
    public ListenAddress http() {
        return listeners.http();
    }

    /** The address of the gRPC port, with the port number that it was given. */
    public ListenAddress grpc() {
        return listeners.grpc();
    }

    /** The address of the admin port, with the port number that it was given. */
    public ListenAddress admin() {
        return listeners.admin();
    }

    /** The address of the port with the reference's metrics, with the port number that it was given; null without one. */
    public @Nullable ListenAddress referenceMetrics() {
        return listeners.referenceMetrics();
    }

    /** The limiter that decides every request of this server. */
    public Limiter limiter() {
        return limiter;
    }

    /** Drains and stops. This takes at most the drain timeout, unless a component takes longer to close. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        health.set(Health.State.NOT_SERVING);
        LOG.log(Level.INFO, "stopping: no longer serving; waiting for calls in flight");
        pause(settings.drain().delay());
        queues.close();
        Duration timeout = settings.drain().calls();
        try {
            listeners
                    .drain(timeout)
                    .orTimeout(timeout.plus(CLOSE_MARGIN).toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(Level.WARNING, "drain timeout: closed connections with calls in flight: " + e.getCause());
        }
        returnLeases();
        // Before components that may wait for a database: if the process is killed while they wait, decisions that are
        // still queued would be lost without being counted as dropped.
        observers.close();
        opened.close();
        LOG.log(Level.INFO, "stopped");
    }

    /** Returns leased hits to their stores, so that other servers need not wait until the leases expire. */
    private void returnLeases() {
        try {
            long timeout = settings.limiter().deadlineMicros() + LEASE_RETURN_MARGIN.toNanos() / 1_000;
            limiter.returnLeases()
                    .toCompletableFuture()
                    .orTimeout(timeout, TimeUnit.MICROSECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(
                    Level.WARNING,
                    "leases could not be returned in time; their unspent hits count as spent: " + e.getCause());
        }
    }

    static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.weir.server;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.admin.AdminApi;
import dev.weir.server.admin.ControlApi;
import dev.weir.server.control.ControlComponents;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.grpc.Decider;
import dev.weir.server.grpc.GrpcServer;
import dev.weir.server.grpc.GrpcServerSettings;
import dev.weir.server.health.Health;
import dev.weir.server.http.HttpPort;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.lifecycle.FileWatcher;
import dev.weir.server.lifecycle.PeriodicTasks;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.listener.Listeners;
import dev.weir.server.listener.PortCertificates;
import dev.weir.server.listener.ServerEventLoops;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import dev.weir.server.metrics.GrpcServerMetrics;
import dev.weir.server.metrics.IneffectiveKeyWarnings;
import dev.weir.server.metrics.LocalTierGauges;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.metrics.StoreMetrics;
import dev.weir.server.rest.PermitSecret;
import dev.weir.server.rest.RestApi;
import dev.weir.server.rest.RestSettings;
import dev.weir.server.rules.ServerRules;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import dev.weir.server.stores.ServerStores;
import dev.weir.server.warmup.ServerWarmUp;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
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
    private static final Duration KEY_WARNING_PERIOD = Duration.ofSeconds(10);
    private static final Duration STORE_CONNECT_TIMEOUT = Duration.ofSeconds(1);
    /** Time beyond the deadline in which stores may confirm returned leases. */
    private static final Duration LEASE_RETURN_MARGIN = Duration.ofMillis(250);
    /** Time beyond the drain timeout in which connections are closed. */
    private static final Duration CLOSE_MARGIN = Duration.ofMillis(100);

    private final Settings settings;
    private final CloseStack opened;
    private final Health health;
    private final DecisionObservers observers;
    private final Limiter limiter;
    private final Listeners listeners;
    private final AtomicBoolean closed = new AtomicBoolean();

    private WeirServer(
            Settings settings,
            CloseStack opened,
            Health health,
            DecisionObservers observers,
            Limiter limiter,
            Listeners listeners) {
        this.settings = settings;
        this.opened = opened;
        this.health = health;
        this.observers = observers;
        this.limiter = limiter;
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
        FileWatcher files = opened.add(new FileWatcher());
        PortCertificates certificates = new PortCertificates(settings.tls(), files);
        WatchedRuleFiles ruleFiles = opened.add(new WatchedRuleFiles(settings));
        DecisionObservers observers = opened.add(new DecisionObservers(settings, time));
        ControlComponents control = opened.add(new ControlComponents(settings, files));
        ServerRules rules = new ServerRules(
                ruleFiles,
                control.remote(),
                control.control(),
                settings.limiter().endpointForm());
        observers.rules(rules.all());
        MemoryBudget memory = new MemoryBudget(memoryLimits(settings.network()));
        ServerEventLoops loops = opened.add(new ServerEventLoops(settings.eventLoops(), settings.network(), memory));
        ServerStores stores = opened.add(new ServerStores(
                (int) settings.maxKeys(),
                settings.stores(),
                loops.group(),
                observers.ruleMetrics()::degraded,
                observers.ruleMetrics()::lastStoreFailure));
        health.degradedBy(() -> Stream.of(stores.degraded(), control.degraded())
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining("; ")));
        Limiter limiter = new Limiter(
                rules.all(), stores.memory(), stores.shared(), time, settings.limiter(), observers.observer());
        RedisSharedStore noteStore = stores.noteStore();
        FleetSecret secret = settings.trust().fleetSecret();
        CounterAdmin counters =
                new CounterAdmin(limiter, stores.redis(), noteStore == null ? null : noteStore.resetNews(), secret);
        ServerMetrics metrics =
                opened.add(new ServerMetrics(observers.ruleMetrics(), new StoreMetrics(stores.redis())));
        stores.addTo(metrics);
        rules.addTo(metrics);
        control.addTo(metrics);
        certificates.addTo(metrics);
        observers.addTo(metrics);
        new NetworkGauges(memory).addTo(metrics);
        addTo(metrics, counters.rejectedNotes());
        if (control.control() != null) {
            addTo(metrics, control.control().switches().rejectedNotes());
        }
        addTo(metrics, settings, limiter, health);
        GrpcServer grpc = new GrpcServer(
                Decider.of(limiter),
                time,
                certificates.with(grpcSettings(settings)),
                health,
                new GrpcServerMetrics(metrics),
                memory);
        PeriodicTasks tasks = opened.add(new PeriodicTasks());

        Listeners listeners = new Listeners(settings, certificates, grpc, loops);
        RestApi rest = new RestApi(
                limiter,
                time,
                health,
                restSettings(settings),
                settings.rls(),
                control.access()::requireToGiveBack,
                new PermitSecret(secret, noteStore == null ? null : noteStore.notes("permits")));
        MetricsPage metricsPage = new MetricsPage(loops.vertx(), metrics::scrape);
        MetricsPage referencePage = new MetricsPage(loops.vertx(), metrics::scrapeWithReference);
        listeners.bind(
                () -> httpRoutes(loops.vertx(), rest, metricsPage, health),
                path -> metricsRoutes(loops.vertx(), path, referencePage),
                httpPort -> new AdminApi(
                        control.access(),
                        limiter::index,
                        httpPort,
                        () -> new ControlApi(
                                        loops.vertx(),
                                        control.access(),
                                        health,
                                        rules.inForce(),
                                        limiter,
                                        counters,
                                        stores.redis(),
                                        control.control(),
                                        WatchedRuleFiles.options(settings))
                                .routes()));
        if (!settings.warmUp().isZero()) {
            ServerWarmUp.run(loops.vertx(), loops.group(), settings.stores(), stores, settings.warmUp());
        }
        awaitConnections(stores);
        rules.follow(next -> {
            observers.rules(next);
            limiter.index(next);
        });
        control.followSwitches(noteStore, secret);
        files.start();
        tasks.every(Duration.ofMillis(Limiter.TICK_MILLIS), limiter::tick);
        tasks.every(OUTAGE_LOG_PERIOD, stores::logOutage);
        tasks.every(RESET_PERIOD, counters::applyRemoteResets);
        tasks.every(KEY_WARNING_PERIOD, new IneffectiveKeyWarnings(observers.ruleMetrics())::check);
        health.set(Health.State.SERVING);
        var unused = loops.vertx().executeBlocking(Executors.callable(metrics::open), false);
        return new WeirServer(settings, opened, health, observers, limiter, listeners);
    }

    private static void addTo(ServerMetrics metrics, Settings settings, Limiter limiter, Health health) {
        metrics.gauge(
                        "ratelimit.rules",
                        "Rules in force.",
                        () -> limiter.index().source().rules().size())
                .gauge(
                        "ratelimit.serving",
                        "1 while the server reports that it is serving.",
                        () -> health.serving() ? 1 : 0);
        new LocalTierGauges(settings, limiter.tier()).addTo(metrics);
    }

    private static void addTo(ServerMetrics metrics, RejectedNotes notes) {
        for (RejectedNotes.Reason each : RejectedNotes.Reason.values()) {
            metrics.counter(
                    "ratelimit.notes.rejected",
                    "Notes of other servers in Redis that were ignored, by kind and reason.",
                    () -> notes.of(each),
                    "kind",
                    notes.kind(),
                    "reason",
                    each.label());
        }
    }

    private static MemoryLimits memoryLimits(Settings.Network network) {
        Long bytes = network.memory();
        return bytes == null ? MemoryLimits.ofThisProcess() : MemoryLimits.of(bytes);
    }

    private static GrpcServerSettings grpcSettings(Settings settings) {
        Settings.Network network = settings.network();
        return GrpcServerSettings.defaults()
                .with(settings.rls())
                .with(GrpcServerSettings.Times.defaults().withAge(network.grpcAge(), network.grpcAgeGrace()))
                .with(GrpcServerSettings.Bounds.defaults()
                        .withConnections(network.connections(), network.connectionsPerAddress()));
    }

    private static RestSettings restSettings(Settings settings) {
        Settings.Idempotency set = settings.idempotency();
        return RestSettings.defaults()
                .withIdempotency(set.keep(), set.perCaller())
                .withIdempotencyHeader(set.header())
                .withProxies(settings.trust().proxies());
    }

    private static Handler<HttpServerRequest> httpRoutes(
            Vertx vertx, RestApi rest, MetricsPage metricsPage, Health health) {
        Router router = rest.routes(vertx);
        HttpRoutes.page(router, "/metrics", context -> metricsPage.answer(context.request()));
        return HttpPort.whileServing(health::serving, router);
    }

    private static Handler<HttpServerRequest> metricsRoutes(Vertx vertx, String path, MetricsPage page) {
        Router router = Router.router(vertx);
        HttpRoutes.page(router, path, context -> page.answer(context.request()));
        return HttpRoutes.finish(router, "this port has the metrics alone, at " + path, failure -> null);
    }

    /** Waits up to a second for the stores, so that the first request finds them connected. */
    private static void awaitConnections(ServerStores stores) {
        long until = System.nanoTime() + STORE_CONNECT_TIMEOUT.toNanos();
        while (!stores.allConnected() && System.nanoTime() < until) {
            pause(Duration.ofMillis(5));
        }
        stores.logOutage();
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

    private static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

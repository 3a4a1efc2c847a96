package dev.weir.server;

import dev.weir.internal.limiter.Limiter;
import dev.weir.server.admin.AdminApi;
import dev.weir.server.admin.ControlApi;
import dev.weir.server.health.Health;
import dev.weir.server.http.HttpPort;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.lifecycle.PeriodicTasks;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.listener.Listeners;
import dev.weir.server.metrics.IneffectiveKeyWarnings;
import dev.weir.server.rest.RestApi;
import dev.weir.server.rest.RestSettings;
import dev.weir.server.rules.RulesInForce;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import dev.weir.server.warmup.ServerWarmUp;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The server: rules, limiter, gRPC lane, REST and admin, on one group of event loops.
 *
 * <p><b>Starting.</b> Rules load, ports are bound, the decision path is warmed; only then does it say that it is serving.
 *
 * <p><b>Stopping.</b> It says that it is not serving and goes on answering for a while, so that balancers can look away; then it
 * takes no new calls, lets those under way finish, gives back its leases, has the last decisions written, and closes.
 */
public final class WeirServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final Duration STORE_WATCH = Duration.ofSeconds(1);
    private static final Duration RESET_WATCH = Duration.ofSeconds(1);
    private static final Duration CONNECTING = Duration.ofSeconds(1);
    /** Beyond the deadline, for stores to say that they have taken leases back. */
    private static final Duration RETURNING = Duration.ofMillis(250);
    /** Beyond their time, for connections to be closed. */
    private static final Duration CUTTING = Duration.ofMillis(100);

    private static final Duration KEY_WATCH = Duration.ofSeconds(10);

    private final Settings settings;
    private final ServerComponents parts;
    private final CloseStack opened;
    private final Listeners listeners;
    private final MetricsPage metricsPage;
    private final AtomicBoolean closed = new AtomicBoolean();

    private WeirServer(ServerComponents parts, CloseStack opened) {
        this.settings = parts.settings;
        this.parts = parts;
        this.opened = opened;
        metricsPage = new MetricsPage(parts.vertx, parts.metrics::scrape);
        listeners = new Listeners(settings, parts.certificates, parts.lane, parts.vertx);
    }

    /**
     * Starts a server; when this returns, it is serving.
     *
     * @throws StartException if the rules are wrong, a port is taken or a setting cannot hold; nothing is left running then
     */
    public static WeirServer start(Settings settings) throws StartException {
        CloseStack opened = new CloseStack();
        boolean started = false;
        try {
            WeirServer server = new WeirServer(new ServerComponents(settings, opened), opened);
            server.begin();
            started = true;
            return server;
        } finally {
            if (!started) {
                opened.close();
            }
        }
    }

    private void begin() throws StartException {
        bind();
        if (!settings.warmUp().isZero()) {
            ServerWarmUp.run(parts.vertx, parts.group, settings.stores(), parts.stores, settings.warmUp());
        }
        awaitStores();
        parts.rules.follow(parts::inForce);
        parts.feed.follow(parts.rules::files);
        parts.operators.followSwitches(parts.stores.meeting());
        watch();
        parts.health.set(Health.State.SERVING);
        var unused = parts.vertx.executeBlocking(Executors.callable(parts.metrics::open), false);
    }

    /** Where HTTP listens, with the port that it got. */
    public ListenAddress http() {
        return listeners.http();
    }

    /** Where gRPC listens, with the port that it got. */
    public ListenAddress grpc() {
        return listeners.grpc();
    }

    /** Where the admin port listens, with the port that it got. */
    public ListenAddress admin() {
        return listeners.admin();
    }

    /** What decides here. */
    public Limiter limiter() {
        return parts.limiter;
    }

    private static RestSettings restSettings(Settings settings) {
        Settings.Idempotency set = settings.idempotency();
        return RestSettings.defaults().withIdempotency(set.keep(), set.perCaller());
    }

    private void bind() throws StartException {
        RestApi api = new RestApi(
                parts.limiter,
                parts.time,
                parts.health,
                restSettings(settings),
                settings.rls(),
                parts.operators.doors().access()::requireToGiveBack);
        listeners.bind(
                parts.group,
                () -> routes(api),
                httpPort -> new AdminApi(
                        parts.operators.doors().access(), parts.limiter::rules, httpPort, this::controlRoutes));
    }

    private Router controlRoutes() {
        RulesInForce shown = new RulesInForce(parts.rules::below, parts.rules::all, parts.sourceViews::now);
        return new ControlApi(
                        parts.vertx,
                        parts.operators.doors().access(),
                        shown,
                        parts.limiter,
                        parts.counters,
                        parts.operators.control(),
                        WatchedRuleFiles.options(settings))
                .routes();
    }

    private Handler<HttpServerRequest> routes(RestApi api) {
        Router router = api.routes(parts.vertx);
        HttpRoutes.page(router, "/metrics", context -> metricsPage.answer(context.request()));
        return HttpPort.whileServing(parts.health::serving, router);
    }

    /** What is asked first should find its store connected; but a store that is away holds nobody up. */
    private void awaitStores() {
        long until = System.nanoTime() + CONNECTING.toNanos();
        while (!parts.stores.allThere() && System.nanoTime() < until) {
            pause(Duration.ofMillis(5));
        }
        parts.storeWatch.look();
    }

    private void watch() {
        parts.files.start();
        PeriodicTasks rounds = parts.rounds;
        rounds.every(Duration.ofMillis(Limiter.TICK_MILLIS), parts.limiter::tick);
        rounds.every(STORE_WATCH, parts.storeWatch::look);
        rounds.every(RESET_WATCH, parts.counters::hear);
        rounds.every(KEY_WATCH, new IneffectiveKeyWarnings(parts.ruleMetrics)::look);
    }

    /** Drains and stops, within the drain timeout unless something that is to be closed takes longer: decisions are written by then. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        parts.health.set(Health.State.NOT_SERVING);
        LOG.log(Level.INFO, "not serving any more; calls under way finish");
        pause(settings.drain().delay());
        Duration most = settings.drain().calls();
        try {
            listeners
                    .drain(most)
                    .orTimeout(most.plus(CUTTING).toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(Level.WARNING, "some calls did not finish in time and were cut off: " + e.getCause());
        }
        returnLeases();
        // Before what may wait for a database: the process may end while it waits, and lines would be lost uncounted.
        parts.decisions.close();
        opened.close();
        LOG.log(Level.INFO, "stopped");
    }

    /** What is held of shared counters is of use to the others at once, and not only when it expires. */
    private void returnLeases() {
        try {
            long most = settings.limiter().deadlineMicros() + RETURNING.toNanos() / 1_000;
            parts.limiter
                    .returnLeases()
                    .toCompletableFuture()
                    .orTimeout(most, TimeUnit.MICROSECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(
                    Level.WARNING,
                    "what was leased could not be given back in time, and counts as spent: " + e.getCause());
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

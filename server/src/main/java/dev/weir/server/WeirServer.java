package dev.weir.server;

import dev.weir.limiter.Limiter;
import dev.weir.match.RuleSet;
import dev.weir.model.TimeSource;
import dev.weir.redis.RedisStore;
import dev.weir.server.admin.AdminApi;
import dev.weir.server.admin.ControlApi;
import dev.weir.server.admin.CounterAdmin;
import dev.weir.server.admin.RulesInForce;
import dev.weir.server.grpc.Decider;
import dev.weir.server.grpc.GrpcLane;
import dev.weir.server.grpc.LaneSettings;
import dev.weir.server.metrics.KeyWatch;
import dev.weir.server.metrics.LaneMetrics;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.metrics.StoreMetrics;
import dev.weir.server.rest.RestApi;
import dev.weir.server.rest.RestSettings;
import dev.weir.server.settings.Address;
import dev.weir.server.settings.Settings;
import io.netty.channel.EventLoopGroup;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.VertxInternal;
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
 * takes no new calls, lets those under way finish, and closes.
 */
public final class WeirServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final Duration STORE_WATCH = Duration.ofSeconds(1);
    private static final Duration RESET_WATCH = Duration.ofSeconds(1);
    private static final Duration CONNECTING = Duration.ofSeconds(1);
    /** Beyond the deadline, for stores to say that they have taken leases back. */
    private static final Duration RETURNING = Duration.ofMillis(250);

    private static final Duration KEY_WATCH = Duration.ofSeconds(10);
    private static final int WORKERS = 4;

    private final Settings settings;
    private final Health health = new Health();
    private final TimeSource time = TimeSource.system();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final RuleFeed feed;
    private final ControlSide operators;
    private final Certificates certificates;
    private final FileWatch files = new FileWatch();
    private final LayeredRules rules;
    private final SourceViews sourceViews;
    private final DecisionFeed decisions;
    private final Stores stores;
    private final StoreWatch storeWatch;
    private final RuleMetrics ruleMetrics;
    private final ServerMetrics metrics;
    private final Limiter limiter;
    private final CounterAdmin counters;
    private final Vertx vertx;
    private final Rounds rounds = new Rounds();
    private final EventLoopGroup group;
    private final Listeners listeners;

    private WeirServer(Settings settings) throws StartException {
        this.settings = settings;
        certificates = new Certificates(settings.tls());
        LaneSettings laneSettings = certificates.with(LaneSettings.defaults().with(settings.rls()));
        feed = new RuleFeed(settings);
        ruleMetrics = new RuleMetrics(time, settings.limiter().shadow());
        decisions = new DecisionFeed(settings.decisions());
        operators = new ControlSide(settings);
        rules = new LayeredRules(feed.first(), operators.remote(), operators.control());
        sourceViews = new SourceViews(feed, operators.remote(), rules, operators.control());
        ruleMetrics.rules(rules.all());
        decisions.rules(rules.all());
        vertx = Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setEventLoopPoolSize(settings.eventLoops())
                .setWorkerPoolSize(WORKERS)
                .setInternalBlockingPoolSize(WORKERS)
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false)));
        group = ((VertxInternal) vertx).nettyEventLoopGroup();
        stores = new Stores((int) settings.maxKeys(), settings.stores(), group);
        storeWatch = new StoreWatch(stores::degraded, ruleMetrics::degraded);
        health.degradedBy(stores::degraded);
        limiter = new Limiter(
                rules.all(), stores.memory(), stores.shared(), time, settings.limiter(), decisions.after(ruleMetrics));
        RedisStore meeting = stores.meeting();
        counters = new CounterAdmin(limiter, stores.redis(), meeting == null ? null : meeting.resetNews());
        metrics = new ServerMetrics(ruleMetrics, new StoreMetrics(stores.redis()));
        new ServerGauges(settings, stores, storeWatch, limiter, feed, health).addTo(metrics);
        new TierGauges(settings, limiter.tier()).addTo(metrics);
        new ControlGauges(operators.control()).addTo(metrics);
        certificates.addTo(metrics);
        operators.doors().addTo(metrics);
        sourceViews.addTo(metrics);
        decisions.addTo(metrics);
        GrpcLane lane = new GrpcLane(Decider.of(limiter), time, laneSettings, health, new LaneMetrics(metrics));
        listeners = new Listeners(settings, certificates, lane, vertx);
    }

    /**
     * Starts a server; when this returns, it is serving.
     *
     * @throws StartException if the rules are wrong, a port is taken or a setting cannot hold; nothing is left running then
     */
    public static WeirServer start(Settings settings) throws StartException {
        WeirServer server = new WeirServer(settings);
        try {
            server.bind();
        } catch (StartException | RuntimeException e) {
            server.stop();
            throw e;
        }
        if (!settings.warmUp().isZero()) {
            WarmUp.run(server.vertx, server.group, settings.stores(), settings.warmUp());
        }
        server.awaitStores();
        server.rules.follow(server::inForce);
        server.feed.follow(server.rules::files);
        server.operators.followSwitches(server.stores.meeting());
        server.watch();
        server.health.set(Health.State.SERVING);
        var unused = server.vertx.executeBlocking(Executors.callable(server.metrics::open), false);
        return server;
    }

    /** Where HTTP listens, with the port that it got. */
    public Address http() {
        return listeners.http();
    }

    /** Where gRPC listens, with the port that it got. */
    public Address grpc() {
        return listeners.grpc();
    }

    /** Where the admin port listens, with the port that it got. */
    public Address admin() {
        return listeners.admin();
    }

    /** What decides here. */
    public Limiter limiter() {
        return limiter;
    }

    private static RestSettings restSettings(Settings settings) {
        Settings.Idempotency set = settings.idempotency();
        return RestSettings.defaults().withIdempotency(set.keep(), set.perCaller());
    }

    private void bind() throws StartException {
        RestApi api = new RestApi(
                limiter,
                time,
                health,
                restSettings(settings),
                settings.rls(),
                operators.doors().access()::requireToGiveBack);
        listeners.bind(
                group,
                () -> routes(api),
                httpPort -> new AdminApi(operators.doors().access(), limiter::rules, httpPort, this::controlRoutes));
    }

    private Router controlRoutes() {
        RulesInForce shown = new RulesInForce(rules::below, rules::all, sourceViews::now);
        return new ControlApi(
                        vertx,
                        operators.doors().access(),
                        shown,
                        limiter,
                        counters,
                        operators.control(),
                        RuleFeed.options(settings))
                .routes();
    }

    private Handler<HttpServerRequest> routes(RestApi api) {
        Router router = api.routes(vertx);
        RestApi.page(
                router,
                "/metrics",
                context -> vertx.executeBlocking(metrics::scrape, false)
                        .onSuccess(text -> {
                            var unused = context.response()
                                    .putHeader("Content-Type", ServerMetrics.CONTENT_TYPE)
                                    .end(text);
                        })
                        .onFailure(context::fail));
        return router;
    }

    /** What is asked first should find its store connected; but a store that is away holds nobody up. */
    private void awaitStores() {
        long until = System.nanoTime() + CONNECTING.toNanos();
        while (!stores.allThere() && System.nanoTime() < until) {
            pause(Duration.ofMillis(5));
        }
        storeWatch.look();
    }

    private void watch() {
        certificates.watch(files);
        operators.doors().watch(files);
        rounds.every(Duration.ofMillis(Limiter.TICK_MILLIS), limiter::tick);
        rounds.every(STORE_WATCH, storeWatch::look);
        rounds.every(RESET_WATCH, counters::hear);
        rounds.every(KEY_WATCH, new KeyWatch(ruleMetrics)::look);
    }

    private void inForce(RuleSet next) {
        ruleMetrics.rules(next);
        decisions.rules(next);
        limiter.rules(next);
    }

    /** Drains and stops; returns within the drain timeout. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long deadline = System.nanoTime() + settings.drain().timeout().toNanos();
        health.set(Health.State.NOT_SERVING);
        LOG.log(Level.INFO, "not serving any more; calls under way finish");
        pause(settings.drain().delay());
        Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        try {
            listeners
                    .drain(left)
                    .orTimeout(left.toMillis() + 500, TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(Level.WARNING, "some calls did not finish in time and were cut off: " + e.getCause());
        }
        returnLeases();
        stop();
        LOG.log(Level.INFO, "stopped");
    }

    /** What is held of shared counters is of use to the others at once, and not only when it expires. */
    private void returnLeases() {
        try {
            long most = settings.limiter().deadlineMicros() + RETURNING.toNanos() / 1_000;
            limiter.returnLeases()
                    .toCompletableFuture()
                    .orTimeout(most, TimeUnit.MICROSECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(
                    Level.WARNING,
                    "what was leased could not be given back in time, and counts as spent: " + e.getCause());
        }
    }

    private void stop() {
        rounds.close();
        files.close();
        feed.close();
        operators.close();
        stores.close();
        try {
            vertx.close()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .orTimeout(2, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            LOG.log(Level.WARNING, "the event loops did not stop: " + e.getCause());
        }
        decisions.close();
        metrics.close();
    }

    private static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.weir.server;

import dev.weir.TimeSource;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.admin.AdminApi;
import dev.weir.server.admin.ControlApi;
import dev.weir.server.control.ControlComponents;
import dev.weir.server.grpc.Decider;
import dev.weir.server.grpc.GrpcServer;
import dev.weir.server.grpc.GrpcServerSettings;
import dev.weir.server.health.Health;
import dev.weir.server.http.HttpPort;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.http.PortHandler;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.listener.Listeners;
import dev.weir.server.listener.PortCertificates;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.metrics.GrpcServerMetrics;
import dev.weir.server.replay.RuleTrial;
import dev.weir.server.rest.ForwardSettings;
import dev.weir.server.rest.LoadApi;
import dev.weir.server.rest.PermitSecret;
import dev.weir.server.rest.RestApi;
import dev.weir.server.rest.RestSettings;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.Settings;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;

/** The components that callers and operators reach: gRPC, REST, the admin port, and the pages of metrics. */
final class PortComponents {
    final Listeners listeners;
    private final Settings settings;
    private final RestSettings restSettings;
    private final Health health;
    private final PolicyComponents policy;
    private final DecisionComponents decisions;
    private final InsightComponents insight;
    private final RestApi rest;
    private final LoadApi loadApi;
    private final MetricsPage metricsPage;
    private final MetricsPage referencePage;

    PortComponents(
            Settings settings,
            TimeSource time,
            Health health,
            MemoryBudget memory,
            PortCertificates certificates,
            PolicyComponents policy,
            DecisionComponents decisions,
            InsightComponents insight) {
        this.settings = settings;
        this.health = health;
        this.policy = policy;
        this.decisions = decisions;
        this.insight = insight;
        ControlComponents control = policy.control;
        GrpcServer grpc = new GrpcServer(
                Decider.of(decisions.limiter),
                time,
                certificates.with(grpcSettings(settings)),
                health,
                new GrpcServerMetrics(insight.metrics, insight.traces),
                decisions.quotas,
                memory);
        listeners = new Listeners(settings, certificates, grpc, decisions.loops);
        restSettings = restSettings(settings);
        RedisSharedStore noteStore = decisions.noteStore;
        rest = new RestApi(
                decisions.limiter,
                decisions.queues,
                time,
                health,
                restSettings,
                settings.rls(),
                control.access()::requireToGiveBack,
                new PermitSecret(decisions.secret, noteStore == null ? null : noteStore.notes("permits")),
                insight.traces);
        insight.metrics.counter(
                "ratelimit.unenforced",
                "Checks that met a concurrency rule, which does not apply to a caller that cannot release.",
                rest::unenforced);
        loadApi = new LoadApi(policy.loads, restSettings.caps(), control.access()::requireToReportLoad);
        metricsPage = new MetricsPage(decisions.loops.vertx(), insight.metrics::scrape);
        referencePage = new MetricsPage(decisions.loops.vertx(), insight.metrics::scrapeWithReference);
    }

    static GrpcServerSettings grpcSettings(Settings settings) {
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
                .withProxies(settings.trust().proxies())
                .withForward(new ForwardSettings(
                        settings.forward().attributes(), settings.forward().locations()));
    }

    /**
     * Binds every port.
     *
     * @throws StartException if a port cannot be bound
     */
    void bind() throws StartException {
        listeners.bind(
                () -> insight.shedding.onLoop(new PortHandler(httpRoutes(), rest.direct())),
                this::metricsRoutes,
                this::adminApi);
    }

    private Handler<HttpServerRequest> httpRoutes() {
        Router router = rest.routes(vertx());
        loadApi.addTo(router);
        HttpRoutes.page(router, "/metrics", context -> metricsPage.answer(context.request()));
        return HttpPort.whileServing(health::serving, router);
    }

    private Handler<HttpServerRequest> metricsRoutes(String path) {
        Router router = Router.router(vertx());
        HttpRoutes.page(router, path, context -> referencePage.answer(context.request()));
        return HttpRoutes.finish(router, "this port has the metrics alone, at " + path, failure -> null);
    }

    private Handler<HttpServerRequest> adminApi(int httpPort) {
        ControlComponents control = policy.control;
        return new AdminApi(
                control.access(),
                decisions.limiter::index,
                httpPort,
                control.control() != null,
                () -> controlApi().routes(vertx(), control.access(), insight.shedding));
    }

    private ControlApi controlApi() {
        ControlComponents control = policy.control;
        return new ControlApi(
                new ControlApi.PolicyParts(
                        policy.rules.inForce(),
                        WatchedRuleFiles.options(settings),
                        control.control(),
                        control.bans(),
                        new RuleTrial(settings.decisions(), settings.limiter().endpointForm())),
                new ControlApi.DecisionParts(
                        decisions.limiter,
                        decisions.counters,
                        new RateLimitFields(restSettings.draft()),
                        decisions.quotas),
                new ControlApi.InsightParts(insight.status, insight.fleet, insight.insight));
    }

    private Vertx vertx() {
        return decisions.loops.vertx();
    }
}

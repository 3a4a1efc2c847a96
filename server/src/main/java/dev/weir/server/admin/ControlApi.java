package dev.weir.server.admin;

import dev.weir.control.ControlPlane;
import dev.weir.control.bans.Bans;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.database.DatabaseException;
import dev.weir.internal.limiter.Limiter;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.access.AccessControl;
import dev.weir.server.access.Permission;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.http.BodyBudget;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblems;
import dev.weir.server.http.HttpRoutes;
import dev.weir.server.http.RequestBody;
import dev.weir.server.rules.RulesInForce;
import dev.weir.server.shedding.LoadShedding;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Routes the admin API of rules, quotas, usage, audit, counters, switches, bans and tokens. Everything that may wait for a
 * database or a store runs on a worker, never on the event loop. The workers are its own, so that a database that does
 * not answer delays operators only.
 */
public final class ControlApi {
    private static final int MAX_BODY = 256 << 10;
    private static final int WORKERS = 4;
    private static final String CONFIG = "/v1/ratelimit/config";
    private static final String QUOTAS = "/admin/v1/quotas";
    private static final String TOKENS = "/admin/v1/tokens";
    private static final String SWITCHES = "/admin/v1/switches";
    private static final String BANS = "/admin/v1/bans";

    private final Vertx vertx;
    private final WorkerExecutor workers;
    private final AccessControl access;
    private final LoadShedding shedding;
    private final RuleApi ruleApi;
    private final SourceApi sourceApi;
    private final QuotaApi quotaApi;
    private final UsageApi usageApi;
    private final AuditApi auditApi;
    private final BackupApi backupApi;
    private final TokenApi tokenApi;
    private final CounterApi counterApi;
    private final ExplainApi explainApi;
    private final SwitchApi switchApi;
    private final BanApi banApi;
    private final StatusApi statusApi;
    private final BodyBudget bodies = new BodyBudget(MAX_BODY);
    private final byte[] openApi = resource("openapi.json");

    public ControlApi(
            Vertx vertx,
            AccessControl access,
            NodeStatus status,
            FleetDirectory fleet,
            RulesInForce rules,
            Limiter limiter,
            CounterAdmin counters,
            @Nullable ControlPlane plane,
            Bans bans,
            LoadOptions options,
            LoadShedding shedding) {
        this.shedding = shedding;
        OptionalControlPlane control = new OptionalControlPlane(plane);
        this.vertx = vertx;
        this.workers = vertx.createSharedWorkerExecutor("weir-operators", WORKERS);
        this.access = access;
        this.ruleApi = new RuleApi(rules, control, options);
        this.sourceApi = new SourceApi(rules);
        this.quotaApi = new QuotaApi(rules, control);
        this.usageApi = new UsageApi(limiter, control);
        this.auditApi = new AuditApi(control);
        this.backupApi = new BackupApi(control);
        this.tokenApi = new TokenApi(control);
        this.counterApi = new CounterApi(counters, control);
        this.explainApi = new ExplainApi(limiter);
        this.switchApi = new SwitchApi(rules, control);
        this.banApi = new BanApi(control, bans);
        this.statusApi = new StatusApi(status, fleet);
    }

    /** Whether {@code path} is in the range of this API. */
    static boolean serves(String path) {
        return path.startsWith("/v1/")
                || path.startsWith("/ratelimit/")
                || path.startsWith("/admin/")
                || path.equals("/openapi.json");
    }

    /** Creates a router with these routes. */
    public Router routes() {
        Router router = Router.router(vertx);
        router.route().handler(context -> AdminCall.identify(context, access));
        get(router, CONFIG, ruleApi::list);
        get(router, CONFIG + "/:rule_id", ruleApi::get);
        write(router, HttpMethod.PUT, CONFIG + "/:rule_id", ruleApi::put);
        write(router, HttpMethod.DELETE, CONFIG + "/:rule_id", (call, body) -> ruleApi.delete(call));
        get(router, "/ratelimit/rules", ruleApi::list);
        write(router, HttpMethod.POST, "/ratelimit/rules", ruleApi::create);
        get(router, QUOTAS, quotaApi::list);
        get(router, QUOTAS + "/:api_key", quotaApi::get);
        write(router, HttpMethod.PUT, QUOTAS + "/:api_key", quotaApi::put);
        write(router, HttpMethod.DELETE, QUOTAS + "/:api_key", (call, body) -> quotaApi.delete(call));
        get(router, SWITCHES, switchApi::list);
        get(router, SWITCHES + "/:rule", switchApi::get);
        write(router, HttpMethod.PUT, SWITCHES + "/:rule", switchApi::put);
        write(router, HttpMethod.DELETE, SWITCHES + "/:rule", (call, body) -> switchApi.delete(call));
        get(router, BANS, banApi::list);
        write(router, HttpMethod.POST, BANS, banApi::make);
        write(router, HttpMethod.DELETE, BANS, (call, body) -> banApi.remove(call));
        get(router, "/admin/v1/usage/:api_key", usageApi::get);
        get(router, "/admin/v1/audit", auditApi::list);
        get(router, "/admin/v1/audit/verify", call -> auditApi.verify());
        get(router, "/admin/v1/backup", call -> backupApi.get());
        get(router, TOKENS, tokenApi::list);
        write(router, HttpMethod.POST, TOKENS, tokenApi::create);
        get(router, TOKENS + "/:name", tokenApi::get);
        write(router, HttpMethod.DELETE, TOKENS + "/:name", (call, body) -> tokenApi.revoke(call));
        write(router, HttpMethod.POST, TOKENS + "/:name/rotate", tokenApi::rotate);
        get(router, "/admin/v1/whoami", TokenApi::whoami);
        get(router, "/admin/v1/status", call -> statusApi.get());
        get(router, "/admin/v1/fleet", call -> statusApi.fleet());
        get(router, "/v1/counters", counterApi::get);
        write(router, HttpMethod.DELETE, "/v1/counters", (call, body) -> counterApi.reset(call));
        write(router, HttpMethod.POST, "/admin/v1/explain", (call, body) -> explainApi.explain(body));
        get(router, "/v1/ratelimit/sources", call -> sourceApi.list());
        get(router, "/openapi.json", call -> new HttpAnswer(200, HttpAnswer.JSON, openApi, List.of()));
        for (String path : List.of(CONFIG + "/:rule_id", QUOTAS + "/:api_key", SWITCHES + "/:rule")) {
            HttpRoutes.only(router, path, "GET, PUT, DELETE");
        }
        HttpRoutes.only(router, "/ratelimit/rules", "GET, POST");
        HttpRoutes.only(router, TOKENS, "GET, POST");
        HttpRoutes.only(router, BANS, "GET, POST, DELETE");
        HttpRoutes.only(router, TOKENS + "/:name", "GET, DELETE");
        HttpRoutes.only(router, TOKENS + "/:name/rotate", "POST");
        HttpRoutes.only(router, "/v1/counters", "GET, DELETE");
        HttpRoutes.only(router, "/admin/v1/explain", "POST");
        for (String path : List.of(
                CONFIG,
                "/v1/ratelimit/sources",
                QUOTAS,
                SWITCHES,
                "/admin/v1/usage/:api_key",
                "/admin/v1/audit",
                "/admin/v1/audit/verify",
                "/admin/v1/backup",
                "/admin/v1/whoami",
                "/admin/v1/status",
                "/admin/v1/fleet",
                "/openapi.json")) {
            HttpRoutes.only(router, path, "GET");
        }
        return HttpRoutes.finish(router, "see GET /", ControlApi::answerTo);
    }

    private void get(Router router, String path, Function<AdminCall, HttpAnswer> handler) {
        router.get(path).handler(context -> {
            AdminCall call = allowed(context, false, path);
            answer(context, () -> handler.apply(call));
        });
    }

    private void write(
            Router router, HttpMethod method, String path, BiFunction<AdminCall, byte[], HttpAnswer> handler) {
        router.route(method, path).handler(context -> {
            AdminCall call = allowed(context, true, path);
            RequestBody.read(
                    context.request(), bodies, body -> answer(context, () -> handler.apply(call, body)), context::fail);
        });
    }

    private AdminCall allowed(RoutingContext context, boolean changes, String route) {
        AdminCall call = new AdminCall(context);
        access.require(call.caller(), Permission.of(changes, route));
        return call;
    }

    private void answer(RoutingContext context, Callable<HttpAnswer> work) {
        shedding.forOperator(context.request(), () -> workers.executeBlocking(work, false))
                .onSuccess(answer -> answer.send(context.response()))
                .onFailure(context::fail);
    }

    private static @Nullable HttpAnswer answerTo(Throwable failure) {
        if (failure instanceof ChangeRefusedException e) {
            int status = switch (e.kind()) {
                case INVALID -> 400;
                case MISSING -> 404;
                case STALE -> 412;
                case TAKEN -> 409;
            };
            return HttpProblems.of(status, String.valueOf(e.getMessage()), e.details(), List.of());
        }
        return failure instanceof DatabaseException e
                ? HttpProblems.of(503, String.valueOf(e.getMessage()), List.of())
                : null;
    }

    private static byte[] resource(String name) {
        try (InputStream in = ControlApi.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

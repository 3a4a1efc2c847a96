package dev.weir.server.admin;

import dev.weir.control.ControlPlane;
import dev.weir.control.bans.Bans;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.internal.limiter.Limiter;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.access.AccessControl;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.insight.Insight;
import dev.weir.server.replay.RuleTrial;
import dev.weir.server.rlqs.QuotaService;
import dev.weir.server.rules.RulesInForce;
import dev.weir.server.shedding.LoadShedding;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Routes the admin API of rules, quotas, usage, audit, counters, switches, bans and tokens to what answers it. */
public final class ControlApi {
    private static final String CONFIG = "/v1/ratelimit/config";
    private static final String QUOTAS = "/admin/v1/quotas";
    private static final String TOKENS = "/admin/v1/tokens";
    private static final String SWITCHES = "/admin/v1/switches";
    private static final String BANS = "/admin/v1/bans";

    private final RuleApi ruleApi;
    private final ReplayApi replayApi;
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
    private final InsightApi insightApi;
    private final byte[] openApi = resource("openapi.json");

    /** What operators change; {@code control} is null without a database. */
    public record PolicyParts(
            RulesInForce rules,
            LoadOptions options,
            @Nullable ControlPlane control,
            Bans bans,
            RuleTrial trial) {}

    /** What decides requests. */
    public record DecisionParts(Limiter limiter, CounterAdmin counters, RateLimitFields fields, QuotaService quotas) {}

    /** What operators look at. */
    public record InsightParts(NodeStatus status, FleetDirectory fleet, Insight insight) {}

    public ControlApi(PolicyParts policy, DecisionParts decisions, InsightParts insight) {
        OptionalControlPlane control = new OptionalControlPlane(policy.control());
        ruleApi = new RuleApi(policy.rules(), control, policy.options());
        replayApi = new ReplayApi(policy.rules(), control, policy.options(), ruleApi, policy.trial());
        sourceApi = new SourceApi(policy.rules());
        quotaApi = new QuotaApi(policy.rules(), control);
        usageApi = new UsageApi(decisions.limiter(), control);
        auditApi = new AuditApi(control);
        backupApi = new BackupApi(control);
        tokenApi = new TokenApi(control);
        counterApi = new CounterApi(decisions.counters(), control);
        explainApi = new ExplainApi(decisions.limiter(), decisions.fields(), decisions.quotas());
        switchApi = new SwitchApi(policy.rules(), control);
        banApi = new BanApi(control, policy.bans(), decisions.limiter());
        statusApi = new StatusApi(insight.status(), insight.fleet());
        insightApi = new InsightApi(insight.insight(), policy.bans(), quotaApi, control);
    }

    /** Whether {@code path} is in the range of this API. */
    static boolean serves(String path) {
        return path.startsWith("/v1/")
                || path.startsWith("/ratelimit/")
                || path.startsWith("/admin/")
                || path.equals("/openapi.json");
    }

    /** Creates a router with these routes, for the callers that {@code access} lets in. */
    public Router routes(Vertx vertx, AccessControl access, LoadShedding shedding) {
        AdminRoutes routes = new AdminRoutes(vertx, access, shedding);
        addPolicy(routes);
        addTokens(routes);
        routes.get("/v1/counters", counterApi::get);
        routes.write(HttpMethod.DELETE, "/v1/counters", (call, body) -> counterApi.reset(call));
        routes.write(HttpMethod.POST, "/admin/v1/explain", (call, body) -> explainApi.explain(body));
        routes.get("/admin/v1/usage/:api_key", usageApi::get);
        routes.get("/admin/v1/audit", auditApi::list);
        routes.get("/admin/v1/audit/verify", call -> auditApi.verify());
        routes.get("/admin/v1/backup", call -> backupApi.get());
        routes.get("/admin/v1/status", call -> statusApi.get());
        routes.get("/admin/v1/fleet", call -> statusApi.fleet());
        InsightApi.ROUTES.forEach((path, answer) -> routes.get(path, call -> answer.apply(insightApi, call)));
        routes.get("/openapi.json", call -> new HttpAnswer(200, HttpAnswer.JSON, openApi, List.of()));
        return routes.finish();
    }

    private void addPolicy(AdminRoutes routes) {
        routes.get(CONFIG, ruleApi::list);
        routes.get(CONFIG + "/:rule_id", ruleApi::get);
        routes.write(HttpMethod.PUT, CONFIG + "/:rule_id", ruleApi::put);
        routes.write(HttpMethod.DELETE, CONFIG + "/:rule_id", (call, body) -> ruleApi.delete(call));
        routes.write(HttpMethod.POST, "/admin/v1/replay/:rule_id", replayApi::play);
        routes.get("/ratelimit/rules", ruleApi::list);
        routes.write(HttpMethod.POST, "/ratelimit/rules", ruleApi::create);
        routes.get("/v1/ratelimit/sources", call -> sourceApi.list());
        routes.get(QUOTAS, quotaApi::list);
        routes.get(QUOTAS + "/:api_key", quotaApi::get);
        routes.write(HttpMethod.PUT, QUOTAS + "/:api_key", quotaApi::put);
        routes.write(HttpMethod.DELETE, QUOTAS + "/:api_key", (call, body) -> quotaApi.delete(call));
        routes.get(SWITCHES, switchApi::list);
        routes.get(SWITCHES + "/:rule", switchApi::get);
        routes.write(HttpMethod.PUT, SWITCHES + "/:rule", switchApi::put);
        routes.write(HttpMethod.DELETE, SWITCHES + "/:rule", (call, body) -> switchApi.delete(call));
        routes.get(BANS, banApi::list);
        routes.write(HttpMethod.POST, BANS, banApi::make);
        routes.write(HttpMethod.DELETE, BANS, (call, body) -> banApi.remove(call));
    }

    private void addTokens(AdminRoutes routes) {
        routes.get(TOKENS, tokenApi::list);
        routes.write(HttpMethod.POST, TOKENS, tokenApi::create);
        routes.get(TOKENS + "/:name", tokenApi::get);
        routes.write(HttpMethod.DELETE, TOKENS + "/:name", (call, body) -> tokenApi.revoke(call));
        routes.write(HttpMethod.POST, TOKENS + "/:name/rotate", tokenApi::rotate);
        routes.get("/admin/v1/whoami", TokenApi::whoami);
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

package dev.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TimeSource;
import dev.weir.control.bans.Bans;
import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.control.rules.RuleLayers;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.queue.WaitTimer;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.access.AccessControl;
import dev.weir.server.access.Permission;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.FleetTopKeys;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.health.Health;
import dev.weir.server.history.History;
import dev.weir.server.insight.Insight;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.load.LimitsUnderLoad;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.replay.RuleTrial;
import dev.weir.server.rlqs.QuotaService;
import dev.weir.server.rls.RequestCaps;
import dev.weir.server.rules.RulesInForce;
import dev.weir.server.shedding.LoadShedding;
import dev.weir.server.topkeys.TopKeys;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The document tells of every route there is, and of no other. */
class OpenApiTest {
    private static final DecisionSinkSettings NOTHING_RECORDED = new DecisionSinkSettings(
            null,
            null,
            0,
            false,
            DecisionSinkSettings.KeyShown.HASH,
            null,
            "n",
            null,
            DecisionSinkSettings.Requests.NONE,
            Set.of(),
            64);

    @Test
    void theDocumentAndTheRoutesAgree() throws Exception {
        assertThat(documented()).isEqualTo(routed());
    }

    @Test
    void theDocumentTellsTheRoleThatEachCallTakes() throws Exception {
        JsonObject paths = document().getJsonObject("paths");
        for (String path : paths.fieldNames()) {
            for (String method : paths.getJsonObject(path).fieldNames()) {
                JsonObject call = paths.getJsonObject(path).getJsonObject(method);
                assertThat(call.getString("x-role"))
                        .as(method + " " + path)
                        .isEqualTo(Permission.of(!method.equals("get"), path)
                                .role()
                                .text());
            }
        }
    }

    private static JsonObject document() throws Exception {
        try (InputStream in = ControlApi.class.getResourceAsStream("openapi.json")) {
            return new JsonObject(new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static Set<String> documented() throws Exception {
        Set<String> found = new TreeSet<>();
        JsonObject paths = document().getJsonObject("paths");
        for (String path : paths.fieldNames()) {
            for (String method : paths.getJsonObject(path).fieldNames()) {
                found.add(method.toUpperCase(Locale.ROOT) + " " + path);
            }
        }
        return found;
    }

    private static Set<String> routed() {
        Vertx vertx = Vertx.vertx();
        try (MemoryStore store = new MemoryStore(1024);
                CloseStack opened = new CloseStack()) {
            WrittenRules none = WrittenRules.empty();
            Limiter limiter =
                    new Limiter(none, store, TimeSource.system(), LimiterSettings.defaults(), new LimiterObserver() {});
            RulesInForce rules =
                    new RulesInForce(() -> RuleLayers.of(List.of(none)), () -> RuleIndex.of(none), List::of);
            NodeStatus status = new NodeStatus(new Health(), rules, limiter, Map.of(), null);
            FleetDirectory fleet = opened.add(new FleetDirectory(status, null, null, null));
            LoadShedding shedding = new LoadShedding(false, TrustedProxies.NONE);
            CounterAdmin counters = new CounterAdmin(limiter, Map.of(), null, null);
            RuleMetrics metrics = new RuleMetrics(TimeSource.system(), false, null);
            TopKeys keys = opened.add(new TopKeys(1 << 20));
            QuotaService quotas =
                    opened.add(new QuotaService(limiter, TimeSource.system(), RequestCaps.defaults(), failure -> {}));
            Insight insight = new Insight(
                    new Health(),
                    status,
                    fleet,
                    opened.add(new FleetTopKeys(keys, fleet::node, null, null, null)),
                    null,
                    Set.of(),
                    limiter,
                    counters,
                    metrics,
                    opened.add(new RequestQueues(
                            limiter, TimeSource.system(), new LimiterObserver() {}, opened.add(new WaitTimer()))),
                    opened.add(new LimitsUnderLoad()),
                    shedding,
                    opened.add(new History(metrics, shedding::shed, 1 << 20, null)),
                    keys,
                    quotas);
            Router router = new ControlApi(
                            new ControlApi.PolicyParts(
                                    rules,
                                    LoadOptions.DEFAULT,
                                    null,
                                    new Bans(null, null),
                                    new RuleTrial(NOTHING_RECORDED, EndpointForm.NORMAL)),
                            new ControlApi.DecisionParts(limiter, counters, new RateLimitFields(11), quotas),
                            new ControlApi.InsightParts(status, fleet, insight))
                    .routes(vertx, AccessControl.open(), shedding);
            Set<String> found = new TreeSet<>();
            for (Route each : router.getRoutes()) {
                if (each.getPath() != null && each.methods() != null) {
                    for (HttpMethod method : each.methods()) {
                        found.add(method.name() + " " + each.getPath().replaceAll(":(\\w+)", "{$1}"));
                    }
                }
            }
            return found;
        } finally {
            vertx.close();
        }
    }
}

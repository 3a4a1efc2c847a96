package dev.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TimeSource;
import dev.weir.control.bans.Bans;
import dev.weir.control.rules.RuleLayers;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.access.AccessControl;
import dev.weir.server.access.Permission;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.health.Health;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.rules.RulesInForce;
import dev.weir.server.shedding.LoadShedding;
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
            Router router = new ControlApi(
                            vertx,
                            AccessControl.open(),
                            status,
                            fleet,
                            rules,
                            limiter,
                            new CounterAdmin(limiter, Map.of(), null, null),
                            null,
                            new Bans(null, null),
                            LoadOptions.DEFAULT,
                            new LoadShedding(false, TrustedProxies.NONE))
                    .routes();
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

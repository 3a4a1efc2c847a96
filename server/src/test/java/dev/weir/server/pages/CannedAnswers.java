package dev.weir.server.pages;

import com.microsoft.playwright.Route;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers of the admin API about traffic whose every number is known, with names as a hostile caller would choose them. */
final class CannedAnswers {
    static final String MARKUP = "<img src=x onerror=alert(1)>";
    private static final String TURNED = "\u0645\u0631\u062d\u0628\u0627\u202Eabc";
    private static final List<String> PATHS = List.of("now", "live", "history", "top", "caller", "load");
    private static final int SECONDS = 900;
    private static final AtomicInteger ASKED = new AtomicInteger();

    private CannedAnswers() {}

    /** How many calls were answered. */
    static int asked() {
        return ASKED.get();
    }

    static boolean isCanned(String url) {
        String path = URI.create(url).getPath();
        return path.startsWith("/admin/v1/") && PATHS.contains(path.substring("/admin/v1/".length()));
    }

    static void answer(Route route) {
        ASKED.incrementAndGet();
        URI asked = URI.create(route.request().url());
        String query = asked.getQuery() == null ? "" : asked.getQuery();
        long at = System.currentTimeMillis() / 1_000;
        JsonObject body = switch (asked.getPath().substring("/admin/v1/".length())) {
            case "now" -> now(at);
            case "live" -> live(at, query);
            case "history" -> history(at, query.contains("range=6h") ? 10 : 1);
            case "top" ->
                new JsonObject()
                        .put("at", at)
                        .put("nodes", 2)
                        .put("silent_nodes", 1)
                        .put("keys", keys(at))
                        .put("dropped", new JsonArray());
            case "caller" -> caller(at);
            default -> load(at);
        };
        route.fulfill(
                new Route.FulfillOptions().setContentType("application/json").setBody(body.encode()));
    }

    private static JsonObject now(long at) {
        return new JsonObject()
                .put("node", "web-1:6070")
                .put("at", at)
                .put("started", at - 7_300)
                .put(
                        "state",
                        new JsonObject()
                                .put("level", "ok")
                                .put("sentence", "All well: 3 rules, 1 store, 1 node.")
                                .put("problems", new JsonArray()))
                .put(
                        "figures",
                        new JsonObject()
                                .put("decisions", value(532.1))
                                .put("denied", value(0.031))
                                .put("p99", value(68))
                                .put("degraded", value(0))
                                .put("shed", new JsonObject().putNull("value")))
                .put("series", series(at, 1))
                .put("restarts", new JsonArray().add(at - 100))
                .put("top_denied", keys(at))
                .put("rules", rules())
                .put(
                        "switches",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("domain", "api")
                                        .put("rule", "orders")
                                        .put("state", "shadow")
                                        .putNull("rollout")
                                        .put("since", at - 60)
                                        .put("by", "ada")
                                        .put("reason", MARKUP)))
                .put("dropped", new JsonArray().add("2 rules were left out: the memory of the history is full"));
    }

    private static JsonObject value(double value) {
        return new JsonObject().put("value", value);
    }

    /** 400 allowed and 12 denied in each second; the tenth before the last has no data. */
    private static JsonObject series(long at, int step) {
        JsonArray points = new JsonArray();
        for (int i = 0; i < SECONDS; i++) {
            points.add(
                    i == SECONDS - 11
                            ? null
                            : new JsonArray(List.of(400 * step, 12 * step, step, i > 890 ? 2 : 0, 0, 14, 60 + i % 9)));
        }
        return new JsonObject()
                .put("from", at - (long) SECONDS * step)
                .put("step", step)
                .put("columns", new JsonArray(List.of("allowed", "denied", "shadow", "degraded", "shed", "p50", "p99")))
                .put("points", points);
    }

    private static JsonObject history(long at, int step) {
        return new JsonObject()
                .put("at", at)
                .put("series", series(at, step))
                .put("restarts", new JsonArray())
                .put("dropped", new JsonArray());
    }

    private static JsonArray keys(long at) {
        JsonArray keys = new JsonArray();
        Map<String, Double> shares =
                Map.of("abc", 0.94, MARKUP, 0.03, TURNED, 0.01, "🦊🦊", 0.009, "k".repeat(1_000), 0.008);
        shares.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .forEach(each -> keys.add(new JsonObject()
                        .put("domain", "api")
                        .put("rule", "orders")
                        .put("key", "api_key=" + each.getKey())
                        .put("hashed", false)
                        .put("attributes", new JsonObject().put("api_key", each.getKey()))
                        .put("count", 60)
                        .put("rate", 12 * each.getValue())
                        .put("share", each.getValue())
                        .put("denied_since", at - 40)
                        .put("utilisation", 0.97)
                        .put("remaining", 3)
                        .put("limit", 100)));
        return keys;
    }

    private static JsonArray rules() {
        return new JsonArray()
                .add(rule("orders", 1.4, 12, 0))
                .add(rule("export", 0.4, 0, 312).put("shadow", true))
                .add(rule(MARKUP, null, 0, 0).put("switched", "off"));
    }

    private static JsonObject rule(String name, @Nullable Double use, int denied, int shadow) {
        return new JsonObject()
                .put("domain", "api")
                .put("rule", name)
                .put("id", name)
                .putNull("tier")
                .put("source", "rules.yaml:5:5")
                .put("keyed", true)
                .put("limit", "20 per 1m")
                .put("shadow", false)
                .putNull("switched")
                .put("rollout", 1.0)
                .put("allowed", 400)
                .put("denied", denied)
                .put("shadow_denied", shadow)
                .put("denied_share", denied / 100.0)
                .put("allowed_rate", 400)
                .put("denied_rate", denied)
                .put("utilisation", use)
                .put("least_left", 0)
                .putNull("busiest")
                .put(
                        "hour",
                        new JsonObject().put("allowed", 39_808).put("denied", 0).put("shadow_denied", shadow));
    }

    private static JsonObject live(long at, String query) {
        JsonArray rules = new JsonArray();
        rules().stream()
                .map(JsonObject.class::cast)
                .filter(each ->
                        !query.contains("q=ord") || each.getString("rule").startsWith("ord"))
                .forEach(rules::add);
        return new JsonObject()
                .put("at", at)
                .put("total", rules.size())
                .putNull("next")
                .put("rules", rules)
                .put("dropped", new JsonArray());
    }

    private static JsonObject caller(long at) {
        return new JsonObject()
                .put("at", at)
                .put("attributes", new JsonObject().put("api_key", "abc"))
                .put("tier", "pro")
                .put(
                        "counters",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("domain", "api")
                                        .put("rule", "orders")
                                        .put("counter", "api_key=abc")
                                        .put("store", "memory")
                                        .put(
                                                "limit",
                                                new JsonObject()
                                                        .put("requests", 20)
                                                        .put("window", "1m")
                                                        .put("algorithm", "token_bucket")
                                                        .put("from", "rule"))
                                        .put("used", 20)
                                        .put("remaining", 0)
                                        .put("share", 1.0)
                                        .put("reset_in", 33.1)
                                        .put("retry_after", 0.6)
                                        .put("has_room", false)
                                        .put("shadow", false)
                                        .put("permits", false)
                                        .put("denied_since", at - 540)
                                        .put(
                                                "regions",
                                                new JsonArray()
                                                        .add(region("eu", 15, 0.2, false))
                                                        .add(region("us", 5, 40, true)))
                                        .put(
                                                "attributes",
                                                new JsonObject()
                                                        .put("api_key", "abc")
                                                        .put("endpoint", "POST /v1/orders"))
                                        .put("degraded", false)))
                .put("met_bans", new JsonArray())
                .put("bans", new JsonArray())
                .putNull("quota")
                .put(
                        "denials",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("at_ms", at * 1_000)
                                        .put("shadow", false)
                                        .put("sentence", "orders: denied, 20 of 20 per 1m used; retry in 0.6 s")))
                .put("dropped", new JsonArray());
    }

    /** A server as it tells of itself in a fleet with regions. */
    static JsonObject node(String name, String region, String home, int epoch, double rate, double denied) {
        return new JsonObject()
                .put("node", name)
                .put("admin", "http://" + name)
                .put("version", "1.0")
                .put("serving", true)
                .put("problems", new JsonArray())
                .put("rules", 3)
                .put("rules_hash", "49a727f9ad70")
                .put("stores", new JsonArray())
                .putNull("database")
                .put("leases", new JsonObject().put("counters", 0).put("held_hits", 0))
                .put("region", region)
                .put("home", home)
                .put("home_epoch", epoch)
                .put("started", 1_795_000_000)
                .put(
                        "load",
                        new JsonObject()
                                .put("decisions_rate", rate)
                                .put("denied_share", denied)
                                .put("p99_us", 40)
                                .put("degraded_share", 0))
                .put("self", region.equals("eu"))
                .put("verified", true)
                .put("seen_ms_ago", 1_000)
                .put("silent", false);
    }

    private static JsonObject region(String name, int used, double age, boolean silent) {
        return new JsonObject()
                .put("region", name)
                .put("used", used)
                .put("age", age)
                .put("silent", silent);
    }

    private static JsonObject load(long at) {
        JsonArray ports = new JsonArray();
        for (String each : List.of("http", "admin")) {
            ports.add(new JsonObject()
                    .put("port", each)
                    .put("in_flight", 12)
                    .put("limit", 400)
                    .put("baseline_us", 900)
                    .put("shed", new JsonObject().put("read", 3).put("critical", 0)));
        }
        return new JsonObject()
                .put("at", at)
                .put("shedder", ports)
                .put("on", true)
                .put(
                        "queues",
                        new JsonObject()
                                .put("waiting", 3)
                                .put("tarpitted", 0)
                                .put("waits", new JsonObject().put("expired", 1)))
                .put(
                        "permits",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("domain", "api")
                                        .put("rule", "uploads")
                                        .put("key", "api_key=abc")
                                        .put("hashed", false)
                                        .put("in_flight", 4)
                                        .put("limit", 10)))
                .put(
                        "services",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("service", "orders-db")
                                        .put("utilisation", 0.82)))
                .put(
                        "nodes",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("node", "web-1:6070")
                                        .put("self", true)
                                        .put("decisions_rate", 4_120)
                                        .put("in_flight", 12)
                                        .put("limit", 400)
                                        .put("denied_share", 0.03)
                                        .put("p99_us", 48)
                                        .put("shed_rate", 0)))
                .put("dropped", new JsonArray());
    }
}

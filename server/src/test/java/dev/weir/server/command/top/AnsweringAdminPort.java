package dev.weir.server.command.top;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** An admin port that answers what a test sets, by path. */
final class AnsweringAdminPort implements AutoCloseable {
    private final HttpServer server;
    private final Map<String, JsonObject> answers = new ConcurrentHashMap<>();
    volatile String lastQuery = "";

    AnsweringAdminPort() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            if (path.equals("/admin/v1/caller")) {
                lastQuery = exchange.getRequestURI().getQuery();
            }
            JsonObject answer = answers.get(path);
            byte[] body = (answer == null ? new JsonObject().put("detail", "nothing at " + path) : answer)
                    .encode()
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        answers.put("/admin/v1/now", now("ok", "All well: 6 rules."));
        answers.put(
                "/admin/v1/top",
                new JsonObject()
                        .put(
                                "keys",
                                new JsonArray()
                                        .add(caller("login", "ip=203.0.113.66", 12.0, 0.6))
                                        .add(caller("search", "api_key=scraper-7", 20.5, 0.3))
                                        .add(caller("search", "api_key=\u001b[31mevil\u202e", 1.0, 0.1))));
        answers.put(
                "/admin/v1/live",
                new JsonObject()
                        .put(
                                "rules",
                                new JsonArray()
                                        .add(rule("login", 0.9))
                                        .add(rule("search", 0.4).put("shadow", true))));
        answers.put(
                "/admin/v1/caller",
                new JsonObject()
                        .put("tier", "free")
                        .put(
                                "counters",
                                new JsonArray()
                                        .add(new JsonObject()
                                                .put("rule", "login")
                                                .put("used", 10)
                                                .put("remaining", 0)
                                                .put("has_room", false)
                                                .put("retry_after", 4.2)
                                                .put(
                                                        "limit",
                                                        new JsonObject()
                                                                .put("requests", 10)
                                                                .put("window", "1 minute")))
                                        .add(new JsonObject()
                                                .put("rule", "uploads")
                                                .put("used", 1)
                                                .put("remaining", 2)
                                                .put("has_room", true)
                                                .put("attributes", new JsonObject().put("endpoint", "PUT /up"))
                                                .put("limit", new JsonObject().put("requests", 3))))
                        .put("bans", new JsonArray())
                        .put(
                                "denials",
                                new JsonArray()
                                        .add(new JsonObject()
                                                .put("at_ms", 1_790_000_000_000L)
                                                .put("sentence", "login: denied, 10 of 10 per minute used"))));
    }

    static JsonObject now(String level, String sentence) {
        return new JsonObject()
                .put("node", "web-1:6070")
                .put("at", 1_790_000_123)
                .put("state", new JsonObject().put("level", level).put("sentence", sentence))
                .put(
                        "figures",
                        new JsonObject()
                                .put("decisions", figure(4_120.0))
                                .put("denied", figure(0.031))
                                .put("p99", figure(48.0))
                                .put("degraded", figure(0.0))
                                .put("shed", figure(null)))
                .put(
                        "series",
                        new JsonObject()
                                .put("columns", new JsonArray().add("allowed").add("denied"))
                                .put(
                                        "points",
                                        new JsonArray()
                                                .add(new JsonArray().add(10).add(0))
                                                .addNull()
                                                .add(new JsonArray().add(20).add(10))))
                .put("top_denied", new JsonArray());
    }

    private static JsonObject figure(@Nullable Double value) {
        return new JsonObject().put("value", value);
    }

    private static JsonObject caller(String rule, String key, double rate, double share) {
        String[] parts = key.split("=", 2);
        return new JsonObject()
                .put("domain", "shop")
                .put("rule", rule)
                .put("key", key)
                .put("hashed", false)
                .put("attributes", new JsonObject().put(parts[0], parts[1]))
                .put("rate", rate)
                .put("share", share)
                .put("denied_since", System.currentTimeMillis() / 1_000 - 90);
    }

    private static JsonObject rule(String name, double deniedShare) {
        return new JsonObject()
                .put("domain", "shop")
                .put("rule", name)
                .put("limit", "10 per minute")
                .put("source", "rules.yaml")
                .put("allowed", 10)
                .put("denied", 90)
                .put("degraded", 0)
                .put("allowed_rate", 1.0)
                .put("denied_rate", 9.0)
                .put("denied_share", deniedShare)
                .put("utilisation", 1.4)
                .put("shadow", false);
    }

    void answer(String path, JsonObject answer) {
        answers.put(path, answer);
    }

    /** From now on nobody listens. */
    void stop() {
        server.stop(0);
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

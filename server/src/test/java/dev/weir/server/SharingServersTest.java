package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.FaultProxy;
import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole servers in three regions, each with a real Redis, that share a count over slow lines which can be cut. */
class SharingServersTest {
    private static final List<String> REGIONS = List.of("ap", "eu", "us");
    private static final int LIMIT = 300;
    private static final String RULES = """
        domain: api
        rules:
          - name: everywhere
            key_by: user
            scope: shared
            deadline: 5s
            on_fail: deny
            limit: { requests: 300, window: %dd, algorithm: fixed_window }
        """.formatted(SteadyCalendar.daysOfAWindow());

    @TempDir
    Path folder;

    private final Map<String, RedisProcess> stores = new HashMap<>();
    /** The lines from the first region of the name to the second. */
    private final Map<String, FaultProxy> lines = new HashMap<>();

    private final Map<String, RunningServer> servers = new HashMap<>();

    @AfterEach
    void close() {
        servers.values().forEach(RunningServer::close);
        lines.values().forEach(FaultProxy::close);
        stores.values().forEach(RedisProcess::close);
    }

    @Test
    void regionsShareOneLimitAndGoOnAloneWhenTheyAreCutOff() throws Exception {
        start();
        assertThat(passed("eu", "a", 100)).isEqualTo(100);
        awaitUsed("us", "a", "eu", 100);
        awaitUsed("ap", "a", "eu", 100);
        assertThat(passed("us", "a", 100)).isEqualTo(100);
        awaitUsed("eu", "a", "us", 100);
        awaitUsed("ap", "a", "us", 100);
        assertThat(explained("ap", "a").getLong("here_at_most")).isEqualTo(100);

        awaitAllHeard(); // what is kept for a region is a share of what was left when it was last heard
        isolate("ap");
        awaitSilent("ap", "eu", true);
        awaitSilent("ap", "us", true);
        awaitSilent("eu", "ap", true);
        awaitSilent("us", "ap", true);
        assertThat(passed("ap", "a", LIMIT)).as("a third of what was left").isEqualTo(34);
        int others = passed("eu", "a", LIMIT);
        assertThat(others).as("two thirds of what was left").isEqualTo(67);
        awaitUsed("us", "a", "eu", 167);
        assertThat(passed("us", "a", LIMIT)).isZero();

        heal("ap");
        awaitSilent("eu", "ap", false);
        awaitUsed("eu", "a", "ap", 34);
        awaitUsed("ap", "a", "eu", 167);
        assertThat(passed("eu", "a", 10) + passed("us", "a", 10) + passed("ap", "a", 10))
                .as("the whole limit and one for rounding has passed")
                .isZero();
        String metrics = server("eu").get("/metrics").body();
        assertThat(metrics).contains("ratelimit_region_silent{region=\"ap\"} 0");
    }

    /** Sends so many requests of {@code user} to the server of {@code region}; returns how many passed. */
    private int passed(String region, String user, int requests) throws Exception {
        int passed = 0;
        for (int i = 0; i < requests; i++) {
            int status = server(region)
                    .http
                    .check(new JsonObject().put("user", user))
                    .statusCode();
            assertThat(status).isIn(200, 429);
            passed += status == 200 ? 1 : 0;
        }
        return passed;
    }

    /** Waits until {@code region} knows that {@code other} used so many hits. Each look is a use, after which it reads. */
    private void awaitUsed(String region, String user, String other, long used) {
        await().untilAsserted(() ->
                assertThat(part(region, user, other).getLong("used", -1L)).isEqualTo(used));
    }

    /** Waits until every region has heard every other one from now on. */
    private void awaitAllHeard() {
        long since = System.nanoTime();
        for (String region : servers.keySet()) {
            for (String other : servers.keySet()) {
                if (!other.equals(region)) {
                    await().until(() -> {
                        double seconds = (System.nanoTime() - since) / 1e9;
                        double age = part(region, "a", other).getDouble("age", -1.0);
                        return age >= 0 && age < seconds;
                    });
                }
            }
        }
    }

    private void awaitSilent(String region, String other, boolean silent) {
        await().untilAsserted(() ->
                assertThat(part(region, "a", other).getBoolean("silent")).isEqualTo(silent));
    }

    private JsonObject part(String region, String user, String other) throws Exception {
        return explained(region, user).getJsonArray("regions", new JsonArray()).stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("region").equals(other))
                .findFirst()
                .orElse(new JsonObject());
    }

    private JsonObject explained(String region, String user) throws Exception {
        JsonObject question =
                new JsonObject().put("domain", "api").put("attributes", new JsonObject().put("user", user));
        JsonObject told = new JsonObject(server(region)
                .admin
                .post("/admin/v1/explain", question.encode())
                .body());
        return told.getJsonArray("rules").getJsonObject(0);
    }

    private void isolate(String region) {
        lines.forEach((name, line) -> {
            if (name.contains(region)) {
                line.blackHole();
            }
        });
    }

    private void heal(String region) {
        lines.forEach((name, line) -> {
            if (name.contains(region)) {
                line.flow();
            }
        });
    }

    private void start() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        REGIONS.forEach(each -> stores.put(each, RedisProcess.start()));
        for (String own : REGIONS) {
            StringBuilder text = new StringBuilder("region: " + own + "\nshare_counts: true\nregions:\n");
            for (String other : REGIONS) {
                RedisProcess store = Objects.requireNonNull(stores.get(other));
                String uri = store.uri();
                if (!other.equals(own)) {
                    FaultProxy line = FaultProxy.before(store.port());
                    line.latency(Duration.ofMillis(50), Duration.ofMillis(50));
                    lines.put(own + " " + other, line);
                    uri = line.uri();
                }
                text.append("  ")
                        .append(other)
                        .append(": { store: \"")
                        .append(uri)
                        .append("\" }\n");
            }
            Path config = Files.writeString(folder.resolve(own + ".yaml"), text);
            servers.put(own, RunningServer.with(rules, "config", config.toString(), "deadline", "5s"));
        }
    }

    private RunningServer server(String region) {
        return Objects.requireNonNull(servers.get(region));
    }
}

package dev.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.Algorithm;
import dev.weir.RateAlgorithms;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code explain} and {@code counters} tell the wait and the reset that {@code check} tells, for every algorithm.
 * {@code ExplainedHistoriesTest} compares them to the microsecond, on virtual time.
 */
class ExplainEqualsCheckTest {
    private static final int HITS = 8;
    /** The rest of each rule's limit by the rule's name. */
    private static final Map<String, String> LIMITS = new TreeMap<>(Map.of(
            "burst", "window: 1h, burst: 11",
            "credit", "window: 1h, burst_credit: 4",
            "sub_windows", "window: 1h, algorithm: sliding_window, sub_windows: 6",
            "calendar", "window: calendar_month, algorithm: fixed_window"));

    static {
        for (Algorithm each : RateAlgorithms.ALL) {
            LIMITS.put(each.text(), "window: 1h, algorithm: " + each.text());
        }
    }

    @TempDir
    Path folder;

    @Test
    void inMemory() throws Exception {
        try (RunningServer server = RunningServer.with(rules())) {
            play(server);
        }
    }

    @Test
    void inRedis() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RunningServer server = RunningServer.with(rules(), "store", redis.uri(), "deadline", "5s")) {
            play(server);
        }
    }

    private Path rules() throws Exception {
        StringBuilder rules = new StringBuilder("domain: api\nkey_by: id\nrules:\n");
        LIMITS.forEach((kind, limit) -> rules.append(
                "  - { name: " + kind + ", match: { kind: " + kind + " }, limit: { requests: 7, " + limit + " } }\n"));
        return Files.writeString(folder.resolve("rules.yaml"), rules.toString());
    }

    private static void play(RunningServer server) throws Exception {
        long seed = Long.getLong("weir.seed", new Random().nextLong());
        Random random = new Random(seed);
        for (String kind : LIMITS.keySet()) {
            for (int i = 0; i < HITS; i++) {
                compare(server, kind, 1 + random.nextInt(3), kind + ", -Dweir.seed=" + seed);
            }
        }
    }

    private static void compare(RunningServer server, String kind, int hits, String what) throws Exception {
        JsonObject attributes = new JsonObject().put("id", "a").put("kind", kind);
        JsonObject question =
                new JsonObject().put("domain", "api").put("hits", hits).put("attributes", attributes);
        long begun = System.nanoTime();
        JsonObject explained = met(new JsonObject(
                server.admin.post("/admin/v1/explain", question.encode()).body()));
        JsonObject checked = new JsonObject(
                server.http.check(attributes.copy().put("cost", hits)).body());
        JsonObject counter = new JsonObject(server.admin
                        .get("/v1/counters?domain=api&id=a&kind=" + kind)
                        .body())
                .getJsonArray("counters")
                .getJsonObject(0);
        double now = System.currentTimeMillis() / 1e3;
        Offset<Double> aSecond = within(1 + (System.nanoTime() - begun) / 1e9);

        assertThat(explained.getBoolean("has_room")).as(what).isEqualTo(checked.getBoolean("allowed"));
        double reset = checked.getLong("reset_at") - now;
        // A cached denial tells what the store said up to a second ago; smaller requests may have passed since.
        if (!explained.getString("answered_by").equals("cached_denial")) {
            assertThat(counter.getDouble("reset_in")).as(what).isCloseTo(reset, aSecond);
            assertThat(counter.getLong("remaining")).as(what).isEqualTo(checked.getLong("remaining"));
        }
        if (!checked.getBoolean("allowed")) {
            assertThat(explained.getDouble("reset_in")).as(what).isCloseTo(reset, aSecond);
            assertThat(explained.getDouble("retry_after"))
                    .as(what)
                    .isCloseTo(checked.getDouble("retry_after"), aSecond);
        }
    }

    private static JsonObject met(JsonObject answer) {
        return answer.getJsonArray("rules").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getBoolean("met"))
                .findFirst()
                .orElseThrow();
    }
}

package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir counter} against whole servers, with counters in memory and in Redis. */
class CounterCommandTest extends AtTheTerminal {
    private static final String RULES = """
            domain: api
            key_by: id
            rules:
              - { name: bucket, limit: { requests: 2, window: 1h } }
              - { name: sliding, limit: { requests: 100, window: 1h, algorithm: sliding_window } }
              - { name: log, limit: { requests: 100, window: 1h, algorithm: sliding_window_log } }
              - { name: here, consistency: local, limit: { requests: 50, window: 1h, algorithm: fixed_window } }
            """;

    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init") // every test starts one
    private RunningServer server;

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void countersInMemoryAreShownAndReset() throws Exception {
        server = RunningServer.with(rules());
        showsAndResets("memory");
    }

    @Test
    void countersInRedisAreShownAndReset() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            server = RunningServer.with(rules(), "store", redis.uri(), "deadline", "2s");
            showsAndResets("default");
            // What was counted in Redis is gone there.
            assertThat((List<?>) redis.cli("KEYS", "weir:{*}:*")).isEmpty();
            run("get", "api", "id=a");
            assertThat(out.toString()).contains("api").contains("bucket");
        }
    }

    @Test
    void aResetReachesTheOtherServers() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: api
                key_by: id
                rules:
                  - { name: told, consistency: reported, limit: { requests: 3, window: 30d, algorithm: fixed_window } }
                """);
        try (RedisProcess redis = RedisProcess.start();
                RunningServer other = RunningServer.with(rules, "store", redis.uri(), "deadline", "2s")) {
            server = RunningServer.with(rules, "store", redis.uri(), "deadline", "2s");
            JsonObject caller = new JsonObject().put("id", "a");
            for (int i = 0; i < 3; i++) {
                assertThat(other.http.check(caller).statusCode()).isEqualTo(200);
            }
            assertThat(other.http.check(caller).statusCode()).isEqualTo(429);
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                run("get", "api", "id=a", "--json");
                JsonArray counters = new JsonObject(out.toString()).getJsonArray("counters");
                assertThat(counters.getJsonObject(0).getString("key"))
                        .as("reported")
                        .contains("told");
                assertThat(counters.getJsonObject(0).getLong("used"))
                        .as("by the other server")
                        .isEqualTo(3);
            });

            assertThat(run("reset", "api", "id=a", "--json")).isZero();
            // Nothing but the news ends a denial that it decided by itself: its window lasts for days.
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> other.http.check(caller).statusCode() == 200);
        }
    }

    private void showsAndResets(String store) throws Exception {
        assertThat(check()).isEqualTo(200);
        assertThat(check()).isEqualTo(200);
        assertThat(check()).isEqualTo(429);
        assertThat(run("get", "api", "id=a", "--json")).isZero();
        JsonArray counters = new JsonObject(out.toString()).getJsonArray("counters");
        assertThat(counters).hasSize(4);
        assertThat(counters.getJsonObject(0).getString("rule")).isEqualTo("bucket");
        assertThat(counters.getJsonObject(0).getString("counter")).isEqualTo("id=a");
        assertThat(counters.getJsonObject(0).getString("store")).isEqualTo(store);
        assertThat(counters.getJsonObject(0).getLong("used")).isEqualTo(2);
        assertThat(counters.getJsonObject(0).getBoolean("has_room")).isFalse();
        assertThat(counters.getJsonObject(0).getDouble("retry_after")).isBetween(1700.0, 1800.0);
        assertThat(counters.getJsonObject(0).getJsonObject("limit").getLong("requests"))
                .isEqualTo(2);
        for (int i = 1; i < 4; i++) {
            assertThat(counters.getJsonObject(i).getLong("used")).isEqualTo(2);
        }
        assertThat(counters.getJsonObject(3).getString("store")).isEqualTo("memory");
        assertThat(check()).isEqualTo(429);

        assertThat(run("reset", "api", "id=a", "--json")).isZero();
        JsonArray reset = new JsonObject(out.toString()).getJsonArray("counters");
        for (int i = 0; i < 4; i++) {
            assertThat(reset.getJsonObject(i).getBoolean("existed")).isTrue();
            assertThat(reset.getJsonObject(i).getLong("used")).isZero();
        }
        assertThat(run("get", "api", "id=a")).isZero();
        assertThat(out.toString().lines().findFirst())
                .hasValueSatisfying(line -> assertThat(line).startsWith("RULE     COUNTER  STORE"));
        assertThat(out.toString().lines()).hasSize(5);
        assertThat(run("reset", "api", "id=a", "--json")).isZero();
        assertThat(check()).isEqualTo(200);
        run("reset", "api", "id=a");
    }

    /** One number with one meaning: the limit reads alike in both commands. */
    @Test
    void theLimitReadsAsInExplain() throws Exception {
        Path rules = Files.writeString(folder.resolve("burst.yaml"), """
                domain: api
                key_by: id
                rules:
                  - { name: bucket, limit: { requests: 600, window: 1m, burst: 1200 } }
                  - { name: spaced, limit: { requests: 5, window: 1s, burst: 9, algorithm: gcra } }
                  - { name: window, limit: { requests: 7, window: 1h, algorithm: sliding_window } }
                """);
        server = RunningServer.with(rules);
        for (List<String> command : List.of(List.of("counter", "get"), List.of("explain"))) {
            List<String> all = new ArrayList<>(command);
            all.addAll(List.of("api", "id=a", "--admin", "http://" + server.server.admin()));
            assertThat(execute(all)).isZero();
            assertThat(out.toString()).contains(" 600 per 1m, burst 1200 ", " 5 per 1s, burst 9 ", " 7 per 1h ");
        }
    }

    @Test
    void whatCannotBeFoundIsSaid() throws Exception {
        server = RunningServer.with(rules());
        assertThat(run("get", "nowhere", "id=a")).isEqualTo(3);
        assertThat(err.toString()).contains("no such domain: \"nowhere\" (expected: one of \"api\")");
        assertThat(run("get", "api", "id=a", "+", "id=b")).isEqualTo(2);
        assertThat(err.toString()).contains("+: several descriptors (expected: one,");
        assertThat(run("get", "api", "other=a")).isZero();
        assertThat(out.toString()).contains("no rule counts this request");
        assertThat(run("get", "api", "nonsense")).isEqualTo(2);
        assertThat(err.toString()).contains("\"nonsense\" (expected: key=value)");
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("missing subcommand (expected: get or reset)");
    }

    private int check() throws Exception {
        HttpResponse<String> answer = server.http.check(new JsonObject().put("id", "a"));
        return answer.statusCode();
    }

    private Path rules() throws Exception {
        return Files.writeString(folder.resolve("rules.yaml"), RULES);
    }

    private int run(String... arguments) {
        return arguments.length == 0
                ? execute(List.of("counter"))
                : executeAt("http://" + server.server.admin(), "counter", arguments);
    }
}

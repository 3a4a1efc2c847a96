package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.control.testkit.Postgres;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir status} against whole servers. */
class StatusCommandTest extends AtTheTerminal {
    private static final String NODES = "weir:{AAAAAAAAAAA}/notes:nodes";

    @TempDir
    Path folder;

    @Test
    void aServerAndItsFleetAreShownAndTheExitCodeSaysWhetherAllIsWell() throws Exception {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"), "{domain: api, rules: [{name: r, limit: {requests: 2, window: 1h}}]}");
        try (RunningServer well =
                        RunningServer.with(rules, "data", folder.resolve("data").toString());
                RunningServer degraded = RunningServer.with(rules, "store", "redis://127.0.0.1:1")) {
            String first = "http://" + well.server.admin();
            String second = "http://" + degraded.server.admin();
            assertThat(executeAt(first, "status")).isZero();
            assertThat(out.toString())
                    .containsPattern("SERVER +VERSION +SERVING +RULES +STORES +OPEN BREAKERS +DATABASE +LEASED HITS")
                    .containsPattern(name(well) + " +\\S+ +yes +1 \\([0-9a-f]{12}\\) +memory +0 +at change 0 +0 +-")
                    .hasLineCount(2);
            assertThat(execute(List.of("status", first, second))).isEqualTo(1);
            assertThat(out.toString())
                    .containsPattern(
                            second + " +\\S+ +yes +1 \\(\\S+\\) +0 of 1 connected +\\d +none +0 +store default, ");
            assertThat(execute(List.of("status", first, second, "http://127.0.0.1:1", "--json")))
                    .isEqualTo(4);
            List<JsonObject> lines = out.toString().lines().map(JsonObject::new).toList();
            assertThat(lines).hasSize(3);
            assertThat(lines.get(1).getJsonArray("stores").getJsonObject(0).getString("server"))
                    .isEqualTo("127.0.0.1:1");
            assertThat(lines.get(2).getString("unreachable")).contains("cannot connect");
        }
    }

    @Test
    void serversOnOneRedisShowEachOtherUntilTheyStop() throws Exception {
        Path rules = rules(2);
        try (RedisProcess redis = RedisProcess.start();
                RunningServer first = RunningServer.with(rules, "store", redis.uri())) {
            String admin = "http://" + first.server.admin();
            try (RunningServer second = RunningServer.with(rules, "store", redis.uri());
                    RunningServer other = RunningServer.with(rules(3), "store", redis.uri())) {
                await().untilAsserted(() -> {
                    assertThat(executeAt(admin, "status")).isEqualTo(1);
                    assertThat(out.toString())
                            .containsPattern(name(first) + " .* -\n")
                            .containsPattern(name(second) + " .* -\n")
                            .containsPattern(name(other) + " .* other rules than .*" + name(first) + "\n");
                });
            }
            assertThat(executeAt(admin, "status"))
                    .as("those that stopped are gone: %s", out)
                    .isZero();
            assertThat(out.toString()).hasLineCount(2);

            redis.cli("HSET", NODES, "gone:6070", note(redis, -60_000, ""));
            redis.cli("HSET", NODES, "forgotten:6070", note(redis, -700_000, ""));
            redis.cli("HSET", NODES, "nonsense:6070", note(redis, 0, "{\"version\": []}"));
            assertThat(executeAt(admin, "status", "--json")).isEqualTo(1);
            List<JsonObject> lines = out.toString().lines().map(JsonObject::new).toList();
            assertThat(lines).hasSize(2);
            JsonObject gone = lines.stream()
                    .filter(each -> !each.getBoolean("self"))
                    .findFirst()
                    .orElseThrow();
            assertThat(gone.getString("node")).isEqualTo("gone:6070");
            assertThat(gone.getBoolean("verified")).isFalse();
            assertThat(gone.getJsonArray("problems").toString()).containsPattern("silent for 6\\d s");
            assertThat(redis.cli("HEXISTS", NODES, "forgotten:6070")).isEqualTo(0L);
        }
    }

    @Test
    void withAFleetSecretOnlyServersOfTheFleetAreShown() throws Exception {
        Map<String, String> secret = Map.of("WEIR_FLEET_SECRET", "s".repeat(32));
        Path rules = rules(2);
        try (RedisProcess redis = RedisProcess.start();
                RunningServer first = RunningServer.with(secret, rules, "store", redis.uri());
                RunningServer second = RunningServer.with(secret, rules, "store", redis.uri())) {
            String admin = "http://" + first.server.admin();
            await().untilAsserted(() -> {
                assertThat(executeAt(admin, "status")).isZero();
                assertThat(out.toString()).contains(name(second));
            });
            String signed = String.valueOf(redis.cli("HGET", NODES, nodeOf(second)));
            redis.cli("HSET", NODES, "copied:6070", signed);
            redis.cli("HSET", NODES, "unsigned:6070", note(redis, 0, "{}"));
            assertThat(executeAt(admin, "status", "--json")).isZero();
            assertThat(out.toString()).hasLineCount(2).doesNotContain("copied", "\"verified\":false");
            assertThat(first.http.get("/metrics").body())
                    .contains("ratelimit_notes_rejected_total{kind=\"nodes\",reason=\"forged\"} 1.0")
                    .contains("ratelimit_notes_rejected_total{kind=\"nodes\",reason=\"unsigned\"} 1.0");
        }
    }

    @Test
    void serversThatShareADatabaseShowEachOther() throws Exception {
        String database = Postgres.database();
        Path rules = rules(2);
        try (RunningServer first = RunningServer.with(rules, "db", database)) {
            String admin = "http://" + first.server.admin();
            try (RunningServer second = RunningServer.with(rules, "db", database)) {
                await().untilAsserted(() -> {
                    assertThat(executeAt(admin, "status")).isZero();
                    assertThat(out.toString()).contains(name(first), name(second));
                });
            }
            assertThat(executeAt(admin, "status")).isZero();
            assertThat(out.toString()).hasLineCount(2);
        }
    }

    private Path rules(int requests) throws IOException {
        return Files.writeString(
                folder.resolve("rules" + requests + ".yaml"),
                "{domain: api, rules: [{name: r, limit: {requests: " + requests + ", window: 1h}}]}");
    }

    /** The name of a server in the fleet, without its host. */
    private static String name(RunningServer server) {
        return ":" + server.server.admin().port();
    }

    /** The whole name, as the server itself has it. */
    private static String nodeOf(RunningServer server) throws Exception {
        return new JsonObject(server.admin.get("/admin/v1/status").body()).getString("node");
    }

    /** A note that was written {@code later} than now; with an empty text, that of a server. */
    private static String note(RedisProcess redis, long later, String text) {
        List<?> notes = (List<?>) Objects.requireNonNull(redis.cli("HVALS", NODES));
        String said = text.isEmpty() ? notes.get(0).toString().split(" ", 2)[1] : text;
        return System.currentTimeMillis() + later + " " + said;
    }
}

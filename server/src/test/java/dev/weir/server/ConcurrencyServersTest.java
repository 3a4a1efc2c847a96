package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Permits that one server gives and another takes back, through Redis. */
class ConcurrencyServersTest {
    private static final String RULES = """
            domain: api
            rules:
              - { name: calls, key_by: user_id, limit: { requests: 2, algorithm: concurrency } }
              - { name: here, match: { kind: here }, key_by: user_id, consistency: local, limit: { requests: 1, algorithm: concurrency } }
            """;
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private static RedisProcess redis;
    private static RunningServer one;
    private static RunningServer two;
    private static RunningServer stranger;

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisProcess.start();
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        one = RunningServer.with(rules, "store", redis.uri(), "deadline", "5s");
        two = RunningServer.with(rules, "store", redis.uri(), "deadline", "5s");
        stranger =
                RunningServer.with(Map.of("WEIR_FLEET_SECRET", SECRET), rules, "store", redis.uri(), "deadline", "5s");
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
        stranger.close();
        redis.close();
    }

    private static HttpResponse<String> acquire(RunningServer server, String user) throws Exception {
        return server.post("/v1/concurrency/acquire", "{\"user_id\": \"" + user + "\"}");
    }

    private static JsonObject post(RunningServer server, String what, HttpResponse<String> acquired) throws Exception {
        return new JsonObject(
                server.post("/v1/concurrency/" + what, acquired.body()).body());
    }

    @Test
    void theFleetCountsTogetherAndAnyServerReleases() throws Exception {
        HttpResponse<String> first = acquire(one, "a");
        HttpResponse<String> second = acquire(two, "a");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(acquire(one, "a").statusCode()).isEqualTo(429);
        assertThat(post(one, "renew", second).getBoolean("renewed")).isTrue();
        assertThat(post(two, "release", first).getBoolean("released")).isTrue();
        assertThat(post(one, "release", first).getBoolean("released"))
                .as("twice")
                .isFalse();
        assertThat(acquire(two, "a").statusCode()).isEqualTo(200);
        assertThat(acquire(one, "a").statusCode()).isEqualTo(429);
    }

    @Test
    void peopleSeeThePermitsInFlight() throws Exception {
        acquire(one, "seen");
        JsonObject status = new JsonObject(two.get("/v1/ratelimit/status/seen").body());
        assertThat(status.getJsonArray("limits").getJsonObject(0).getLong("in_flight"))
                .isEqualTo(1);
        JsonObject question =
                new JsonObject().put("domain", "api").put("attributes", new JsonObject().put("user_id", "seen"));
        JsonObject explained = new JsonObject(
                two.admin.post("/admin/v1/explain", question.encode()).body());
        assertThat(explained.encode()).contains("\"permit_ttl\":\"1m\"", "\"used\":1", "concurrency");
        assertThat(two.admin.get("/v1/counters?domain=api&user_id=seen").body()).contains("\"used\":1", "weir:{");
    }

    @Test
    void aServerWithAnotherSecretRefusesThePermit() throws Exception {
        HttpResponse<String> acquired = acquire(one, "b");
        HttpResponse<String> refused = stranger.post("/v1/concurrency/release", acquired.body());
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(new JsonObject(refused.body()).getString("detail")).contains("fleet_secret");
        assertThat(post(two, "release", acquired).getBoolean("released")).isTrue();
        HttpResponse<String> theirs = acquire(stranger, "b");
        assertThat(post(stranger, "release", theirs).getBoolean("released")).isTrue();
    }

    @Test
    void whatMeetsAnExhaustedRateOrAnotherLimitTakesNothing() throws Exception {
        HttpResponse<String> here = one.post("/v1/concurrency/acquire", "{\"user_id\": \"d\", \"kind\": \"here\"}");
        assertThat(here.statusCode()).isEqualTo(200);
        assertThat(one.post("/v1/concurrency/acquire", "{\"user_id\": \"d\", \"kind\": \"here\"}")
                        .statusCode())
                .isEqualTo(429);
        JsonObject status = new JsonObject(two.get("/v1/ratelimit/status/d").body());
        assertThat(status.getJsonArray("limits").getJsonObject(0).getLong("in_flight"))
                .as("the denied one gave back what it took in Redis")
                .isEqualTo(1);
    }
}

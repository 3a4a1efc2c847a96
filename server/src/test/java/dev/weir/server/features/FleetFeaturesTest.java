package dev.weir.server.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers on one Redis that are asked in turn: what more than rates does holds over all of them. */
class FleetFeaturesTest {
    private static final String RULES = """
            domain: shop
            services:
              payments:
                match: { endpoint: "/pay/*" }
                capacity: { requests: 30, window: 10s, reserve: 0.2 }
            rules:
              - { name: rate, match: { kind: call }, key_by: api_key, limit: { requests: 5, window: 1h } }
              - name: in-flight
                match: { kind: call }
                key_by: api_key
                limit: { requests: 2, algorithm: concurrency }
              - name: tokens
                match: { kind: tokens }
                key_by: api_key
                counts: output_tokens
                limit: { requests: 1000, window: 1d }
            """;
    private static final Map<String, String> SECRET = Map.of("WEIR_FLEET_SECRET", "0123456789abcdef0123456789abcdef");
    private static final List<RunningServer> servers = new ArrayList<>();
    private static RedisProcess redis;

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisProcess.start();
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        for (int i = 0; i < 3; i++) {
            servers.add(RunningServer.with(SECRET, rules, "store", redis.uri(), "deadline", "5s"));
        }
    }

    @AfterAll
    static void stop() {
        servers.forEach(RunningServer::close);
        redis.close();
    }

    @Test
    void ofAHundredReservesOfATenthExactlyTenPassAndFiveMoreOnceHalfIsSettled() throws Exception {
        List<String> held = hundredReserves();
        assertThat(held).hasSize(10);
        for (int i = 0; i < held.size(); i++) {
            String settle = "{\"hold\":\"" + held.get(i) + "\",\"costs\":{\"output_tokens\":50}}";
            assertThat(json(post(i, "/v1/ratelimit/settle", settle)).getBoolean("settled"))
                    .isTrue();
            assertThat(json(post(i + 1, "/v1/ratelimit/settle", settle)).getBoolean("settled"))
                    .as("settled again, at another server")
                    .isFalse();
        }
        assertThat(hundredReserves()).hasSize(5);
    }

    /** The holds of a hundred reserves of a tenth of the limit, sent to all servers at once. */
    private static List<String> hundredReserves() {
        String reserve = "{\"kind\":\"tokens\",\"api_key\":\"a\",\"costs\":{\"output_tokens\":100}}";
        return IntStream.range(0, 100)
                .parallel()
                .mapToObj(i -> {
                    try {
                        return post(i, "/v1/ratelimit/reserve", reserve);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                })
                .filter(answer -> {
                    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 429);
                    return answer.statusCode() == 200;
                })
                .map(answer -> json(answer).getString("hold"))
                .toList();
    }

    /** The fourth limiter, which sheds load, stands before all of them and needs an overload. */
    @Test
    void oneAcquireMeetsARateALimitOfCallsInFlightAndACapacityAndTakesAllOrNothing() throws Exception {
        long begun = System.nanoTime();
        List<String> permits = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> taken = acquire(i, "a");
            assertThat(taken.statusCode()).as(taken.body()).isEqualTo(200);
            permits.add(taken.body());
        }
        HttpResponse<String> third = acquire(2, "a");
        assertThat(third.statusCode()).isEqualTo(429);
        assertThat(third.body()).contains("\"in-flight\"");
        for (int i = 0; i < 3; i++) {
            post(i, "/v1/concurrency/release", permits.remove(0));
            HttpResponse<String> next = acquire(i, "a");
            assertThat(next.statusCode())
                    .as("the denied acquire took nothing of the rate: %s", next.body())
                    .isEqualTo(200);
            permits.add(next.body());
        }
        post(0, "/v1/concurrency/release", permits.remove(0));
        HttpResponse<String> tooFast = acquire(1, "a");
        assertThat(tooFast.statusCode()).isEqualTo(429);
        assertThat(tooFast.body()).contains("\"rate\"");

        int passed = 5;
        HttpResponse<String> last = acquire(0, "b0");
        for (int i = 1; last.statusCode() == 200 && i < 100; i++) {
            passed++;
            last = acquire(i, "b" + i);
        }
        assertThat(last.statusCode()).as(last.body()).isEqualTo(503);
        assertThat(last.body()).contains("service:payments");
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds() + 1;
        assertThat(passed)
                .as("what passes of 30 and 3 a second, a fifth of which is kept free")
                .isBetween(23, 30 + 3 * (int) seconds);
    }

    private static HttpResponse<String> acquire(int server, String key) throws Exception {
        return post(
                server,
                "/v1/concurrency/acquire",
                "{\"kind\":\"call\",\"api_key\":\"" + key + "\",\"endpoint\":\"POST /pay/charge\"}");
    }

    private static HttpResponse<String> post(int server, String path, String body) throws Exception {
        return servers.get(server % servers.size()).post(path, body);
    }

    private static JsonObject json(HttpResponse<String> answer) {
        return new JsonObject(answer.body());
    }
}

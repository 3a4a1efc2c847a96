package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole servers under variables of envoyproxy/ratelimit that change what is limited, or what is told of it. */
class ReferenceSettingsServerTest {
    private static final String RULES = """
            domain: front
            descriptors:
              - key: user
                rate_limit: { unit: year, requests_per_unit: 5 }
              - key: burst
                rate_limit: { unit: second, requests_per_unit: 1000 }
              - key: route
                value: a.b
                descriptors:
                  - key: ip
                    value: 10.0.0.1
                    shadow_mode: true
                    rate_limit: { unit: year, requests_per_unit: 1 }
            """;

    private static RedisProcess redis;
    private static RedisProcess perSecond;

    @TempDir
    Path folder;

    private Path rules;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        perSecond = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
        perSecond.close();
    }

    @BeforeEach
    void write() throws Exception {
        rules = Files.writeString(folder.resolve("front.yaml"), RULES);
        redis.cli("FLUSHALL");
    }

    @Test
    void twoEnvironmentsOnOneRedisDoNotShareCounters() throws Exception {
        try (RunningServer blue = RunningServer.under(onRedis("CACHE_KEY_PREFIX", "blue:"), rules);
                RunningServer green = RunningServer.under(onRedis("CACHE_KEY_PREFIX", "green:"), rules)) {
            for (int i = 0; i < 5; i++) {
                assertThat(blue.grpc("front", "user", "alice")).isEqualTo(1);
            }
            assertThat(blue.grpc("front", "user", "alice")).isEqualTo(2);
            assertThat(green.grpc("front", "user", "alice")).isEqualTo(1);
            assertThat(blue.get("/v1/ratelimit/status?domain=front&user=alice").statusCode())
                    .isNotEqualTo(500);
        }
        assertThat(redis.keysWithoutNotes())
                .isNotEmpty()
                .allMatch(key -> key.startsWith("blue:weir:") || key.startsWith("green:weir:"));
    }

    @Test
    void limitsPerSecondLiveInTheirOwnRedis() throws Exception {
        Map<String, String> variables = onRedis("REDIS_PERSECOND", "true");
        variables.put("REDIS_PERSECOND_URL", perSecond.address());
        try (RunningServer server = RunningServer.under(variables, rules)) {
            assertThat(server.grpc("front", "user", "alice")).isEqualTo(1);
            assertThat(redis.keysWithoutNotes()).hasSize(1);
            assertThat(perSecond.keysWithoutNotes()).isEmpty();
            perSecond.cli("CONFIG", "RESETSTAT");
            assertThat(server.grpc("front", "burst", "x")).isEqualTo(1);
            assertThat(redis.keysWithoutNotes()).hasSize(1);
            assertThat(calls(perSecond)).isPositive();
            String own = """
                    {"domain":"front","descriptors":[{"entries":[{"key":"own","value":"1"}],
                     "limit":{"requestsPerUnit":9,"unit":"SECOND"}}]}""";
            perSecond.cli("CONFIG", "RESETSTAT");
            assertThat(server.post("/json", own).statusCode()).isEqualTo(200);
            assertThat(redis.keysWithoutNotes()).hasSize(1);
            assertThat(calls(perSecond)).isPositive();
        }
    }

    @Test
    void metricsHaveTheReferencesNamesOnAPortOfTheirOwn() throws Exception {
        Map<String, String> variables =
                Map.of("USE_PROMETHEUS", "true", "PROMETHEUS_ADDR", "127.0.0.1:0", "PROMETHEUS_PATH", "/stats");
        try (RunningServer server = RunningServer.under(variables, rules)) {
            for (int i = 0; i < 7; i++) {
                server.grpc("front", "user", "alice");
            }
            String nested = """
                    {"domain":"front","descriptors":[{"entries":[
                     {"key":"route","value":"a.b"},{"key":"ip","value":"10.0.0.1"}]}]}""";
            server.post("/json", nested);
            server.post("/json", nested);
            HttpCaller port = new HttpCaller(
                    Objects.requireNonNull(server.server.referenceMetrics()).port());
            List<String> page = port.get("/stats").body().lines().toList();
            assertThat(page)
                    .contains(
                            "ratelimit_service_rate_limit_total_hits{domain=\"front\",key1=\"user\"} 7",
                            "ratelimit_service_rate_limit_within_limit{domain=\"front\",key1=\"user\"} 5",
                            "ratelimit_service_rate_limit_near_limit{domain=\"front\",key1=\"user\"} 1",
                            "ratelimit_service_rate_limit_over_limit{domain=\"front\",key1=\"user\"} 2",
                            // The reference's mapper splits at every dot, and drops what is deeper.
                            "ratelimit_service_rate_limit_over_limit{domain=\"front\",key1=\"route_a\",key2=\"b\"} 1",
                            "ratelimit_service_rate_limit_shadow_mode{domain=\"front\",key1=\"route_a\",key2=\"b\"} 1",
                            "ratelimit_service_total_requests{grpc_method=\"ShouldRateLimit\"} 9")
                    .anyMatch(line -> line.startsWith("ratelimit_decisions_total{"));
            assertThat(port.get("/metrics").statusCode()).isEqualTo(404);
            assertThat(server.get("/metrics").body()).doesNotContain("ratelimit_service_");
        }
    }

    @Test
    void monthsAreThoseOfTheCalendar() throws Exception {
        Files.writeString(rules, """
                domain: front
                descriptors:
                  - { key: user, rate_limit: { unit: month, requests_per_unit: 5 } }
                """);
        String ask = """
                {"domain":"front","descriptors":[{"entries":[{"key":"user","value":"a"}]},
                 {"entries":[{"key":"user","value":"a"}],"limit":{"requestsPerUnit":5,"unit":"MONTH"}}]}""";
        try (RunningServer server = RunningServer.under(onRedis("USE_CALENDAR_MONTH_RATE_LIMIT", "true"), rules)) {
            LocalDateTime before = LocalDateTime.now(ZoneOffset.UTC);
            JsonArray statuses = new JsonObject(server.post("/json", ask).body()).getJsonArray("statuses");
            for (int i = 0; i < 2; i++) {
                JsonObject status = statuses.getJsonObject(i);
                assertThat(status.getJsonObject("currentLimit").getString("unit"))
                        .isEqualTo("MONTH");
                // Both name the same counter.
                assertThat(status.getInteger("limitRemaining")).isEqualTo(4 - i);
                long left = before.until(
                        before.toLocalDate().withDayOfMonth(1).plusMonths(1).atStartOfDay(), ChronoUnit.SECONDS);
                assertThat(Long.parseLong(status.getString("durationUntilReset").replace("s", "")))
                        .isBetween(left - 30, left + 1);
            }
        }
    }

    @Test
    void headersGoToTheUpstreamToo() throws Exception {
        Map<String, String> variables =
                Map.of("LIMIT_REQUEST_HEADERS_ENABLED", "true", "LIMIT_REQUEST_REMAINING_HEADER", "X-Left");
        try (RunningServer server = RunningServer.under(variables, rules)) {
            String ask = """
                    {"domain":"front","descriptors":[{"entries":[{"key":"user","value":"alice"}]}]}""";
            JsonObject answer = new JsonObject(server.post("/json", ask).body());
            assertThat(answer.containsKey("responseHeadersToAdd")).isFalse();
            JsonArray headers = answer.getJsonArray("requestHeadersToAdd");
            assertThat(headers.getJsonObject(0)).isEqualTo(header("RateLimit-Limit", "5"));
            assertThat(headers.getJsonObject(1)).isEqualTo(header("X-Left", "4"));
            assertThat(headers.getJsonObject(2).getString("key")).isEqualTo("RateLimit-Reset");
        }
    }

    private static JsonObject header(String name, String value) {
        return new JsonObject().put("key", name).put("value", value);
    }

    private static Map<String, String> onRedis(String name, String value) {
        Map<String, String> variables =
                new HashMap<>(Map.of("REDIS_URL", redis.address(), "REDIS_SOCKET_TYPE", "tcp", "WEIR_DEADLINE", "5s"));
        variables.put(name, value);
        return variables;
    }

    /** Script calls since the last reset of the statistics. */
    private static long calls(RedisProcess of) {
        return String.valueOf(of.cli("INFO", "commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_eval"))
                .count();
    }
}

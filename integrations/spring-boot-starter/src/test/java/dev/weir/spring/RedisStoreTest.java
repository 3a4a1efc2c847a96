package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/**
 * Counters in a real Redis, with Lettuce and Netty as Spring Boot brings them: two applications share a limit, and a Redis that
 * stops is told, never silently passed.
 */
class RedisStoreTest {
    private static final String RULES = """
        weir.rules=deadline: 5s
        rules:
          - name: orders
            match: { endpoint: "GET /orders" }
            key_by: api_key | ip
            limit: { requests: 2, window: 30d, algorithm: fixed_window }
          - name: strict
            match: { endpoint: "GET /free" }
            limit: { requests: 100, window: 1s }
            on_fail: deny
        """;

    @Test
    void applicationsShareALimitAndSayWhenRedisIsGone() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                TestApplication mvc = start(WebApplicationType.SERVLET, redis);
                TestApplication reactive = start(WebApplicationType.REACTIVE, redis)) {
            HttpResponse<String> first = mvc.get("/orders");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.headers().firstValue("X-RateLimit-Degraded")).isEmpty();
            assertThat(reactive.get("/orders").headers().firstValue("X-RateLimit-Remaining"))
                    .hasValue("0");
            assertThat(mvc.get("/orders").statusCode()).isEqualTo(429);
            assertThat(reactive.get("/orders").statusCode()).isEqualTo(429);

            redis.kill();
            await().untilAsserted(() -> assertThat(mvc.get("/free").statusCode())
                    .as("on_fail: deny")
                    .isEqualTo(503));
            await().untilAsserted(() -> assertThat(reactive.get("/free").statusCode())
                    .as("on_fail: deny")
                    .isEqualTo(503));
            HttpResponse<String> degraded = mvc.get("/orders", "X-API-Key", "new");
            assertThat(degraded.statusCode()).as("on_fail: allow").isEqualTo(200);
            assertThat(degraded.headers().firstValue("X-RateLimit-Degraded")).hasValue("true");
            await().untilAsserted(() -> {
                HttpResponse<String> health = mvc.get("/actuator/health");
                assertThat(health.statusCode()).as("the application stays up").isEqualTo(200);
                assertThat(health.body()).contains("\"status\":\"DEGRADED\"");
            });
        }
    }

    /** Reactor Netty 1.3.7 stops reading a connection whose response another thread than its own ended too late. */
    @Test
    void everyCallOnAConnectionIsAnswered() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                TestApplication reactive = start(WebApplicationType.REACTIVE, redis)) {
            for (int i = 0; i < 500; i++) {
                assertThat(reactive.get("/orders").statusCode()).isIn(200, 429);
            }
        }
    }

    private static TestApplication start(WebApplicationType type, RedisProcess redis) {
        return TestApplication.start(
                type,
                SixLinesTest.Application.class,
                RULES,
                "weir.store=" + redis.uri(),
                "management.endpoint.health.show-details=always");
    }
}

package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.server.session.WebSessionManager;
import reactor.core.publisher.Mono;

/** A gateway with the filter {@code Weir}, and with Spring's own filter on Weir's rate limiter. */
class GatewayTest {
    private static final String ROUTES = "spring.cloud.gateway.server.webflux.routes";
    private static final String RULES = """
        weir.rules=domain: api
        rules:
          - name: per-route
            key_by: [api_key, route]
            limit: { requests: 1, window: 1h, algorithm: fixed_window }
        """;

    @Test
    void routesAreLimited() throws Exception {
        HttpServer backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", call -> {
            byte[] body = "backend".getBytes(StandardCharsets.UTF_8);
            call.sendResponseHeaders(200, body.length);
            call.getResponseBody().write(body);
            call.close();
        });
        backend.start();
        String uri = "http://127.0.0.1:" + backend.getAddress().getPort();
        try (TestApplication app = TestApplication.start(
                WebApplicationType.REACTIVE,
                Gateway.class,
                RULES,
                "weir.http.enabled=false",
                "spring.cloud.gateway.server.webflux.enabled=true",
                ROUTES + "[0].id=orders",
                ROUTES + "[0].uri=" + uri,
                ROUTES + "[0].predicates[0]=Path=/orders",
                ROUTES + "[0].filters[0]=Weir=api,api_key",
                ROUTES + "[1].id=items",
                ROUTES + "[1].uri=" + uri,
                ROUTES + "[1].predicates[0]=Path=/items",
                ROUTES + "[1].filters[0].name=RequestRateLimiter")) {
            HttpResponse<String> first = app.get("/orders", "X-API-Key", "acme");
            assertThat(first.body()).isEqualTo("backend");
            assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"per-route\";q=1;w=3600");
            HttpResponse<String> denied = app.get("/orders", "X-API-Key", "acme");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Retry-After")).isPresent();
            assertThat(denied.body()).contains("\"rule\":\"per-route\"");
            HttpResponse<String> keyless = app.get("/orders");
            assertThat(keyless.statusCode()).as("without the key").isEqualTo(403);
            assertThat(keyless.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(keyless.body()).contains("\"detail\":\"header X-API-Key: missing or empty\"");
            assertThat(app.get("/orders", "X-API-Key", "").statusCode())
                    .as("with an empty key")
                    .isEqualTo(403);

            assertThat(app.getPipelined("/orders", "X-API-Key", "pipelined")).containsExactly(200, 429, 429);

            assertThat(app.get("/items", "X-API-Key", "acme").body()).isEqualTo("backend");
            HttpResponse<String> limited = app.get("/items", "X-API-Key", "acme");
            assertThat(limited.statusCode()).isEqualTo(429);
            assertThat(limited.headers().firstValue("Retry-After")).isPresent();
            assertThat(app.get("/items").statusCode())
                    .as("the resolver says an empty key")
                    .isEqualTo(429);
            assertThat(app.getPipelined("/items", "X-API-Key", "pipelined")).containsExactly(200, 429, 429);
        } finally {
            backend.stop(0);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Gateway {
        /** Without sessions a denial is known while its call is dispatched: their store answers in another thread. */
        @Bean
        WebSessionManager webSessionManager() {
            return exchange -> Mono.empty();
        }

        @Bean
        KeyResolver apiKey() {
            return exchange -> Mono.just(Objects.requireNonNullElse(
                    exchange.getRequest().getHeaders().getFirst("X-API-Key"), ""));
        }
    }
}

package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.spring.internal.boot.WeirStartFailure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** A gateway on servlets with the filter {@code Weir}. */
class MvcGatewayTest {
    private static final String ROUTES = "spring.cloud.gateway.server.webmvc.routes";
    private static final String RULES = """
        weir.rules=domain: api
        rules:
          - name: per-route
            match: { route: orders }
            key_by: [api_key, route]
            limit: { requests: 1, window: 1h, algorithm: fixed_window }
          - name: in-flight
            match: { route: slow }
            limit: { requests: 1, algorithm: concurrency }
        """;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private HttpServer backend;

    @BeforeEach
    void start() throws Exception {
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", call -> {
            byte[] body = "backend".getBytes(StandardCharsets.UTF_8);
            if (call.getRequestURI().getPath().equals("/slow")) {
                asked.countDown();
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            call.sendResponseHeaders(call.getRequestURI().getPath().equals("/missing") ? 404 : 200, body.length);
            call.getResponseBody().write(body);
            call.close();
        });
        backend.start();
    }

    @AfterEach
    void stop() {
        answer.countDown();
        backend.stop(0);
    }

    @Test
    void routesAreLimited() throws Exception {
        try (TestApplication app = gateway("Weir=api,api_key")) {
            HttpResponse<String> first = app.get("/orders", "X-API-Key", "acme");
            assertThat(first.body()).isEqualTo("backend");
            assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"per-route\";q=1;w=3600");
            HttpResponse<String> denied = app.get("/orders", "X-API-Key", "acme");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Retry-After")).isPresent();
            assertThat(denied.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
            assertThat(denied.body()).contains("\"rule\":\"per-route\"");
            assertThat(app.get("/orders", "X-API-Key", "other").statusCode()).isEqualTo(200);
            HttpResponse<String> keyless = app.get("/orders");
            assertThat(keyless.statusCode()).as("without the key").isEqualTo(403);
            assertThat(keyless.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(keyless.body()).contains("\"detail\":\"header X-API-Key: missing or empty\"");
            assertThat(app.get("/orders", "X-API-Key", "").statusCode())
                    .as("with an empty key")
                    .isEqualTo(403);
            assertThat(app.get("/missing").statusCode())
                    .as("the status of the backend")
                    .isEqualTo(404);

            CompletableFuture<Integer> slow = CompletableFuture.supplyAsync(() -> status(app));
            asked.await();
            assertThat(app.get("/slow").statusCode())
                    .as("while another is served")
                    .isEqualTo(429);
            answer.countDown();
            assertThat(slow.join()).isEqualTo(200);
            // The caller has the answer a moment before the gateway releases the permit.
            await("the permit came back")
                    .untilAsserted(
                            () -> assertThat(app.get("/slow").statusCode()).isEqualTo(200));
        }
    }

    private static int status(TestApplication app) {
        try {
            return app.get("/slow").statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aWrongFilterFailsTheStart() {
        assertThatThrownBy(() -> gateway("Weir=other").close())
                .isInstanceOf(WeirStartFailure.class)
                .hasMessage("filter Weir: domain: other (expected: one of api)");
        assertThatThrownBy(() -> gateway("Weir=api,tenant").close())
                .isInstanceOf(WeirStartFailure.class)
                .hasMessageContaining("no header is known for the attribute tenant");
    }

    private TestApplication gateway(String filter) {
        String uri = "http://127.0.0.1:" + backend.getAddress().getPort();
        return TestApplication.start(
                WebApplicationType.SERVLET,
                Gateway.class,
                RULES,
                "weir.http.enabled=false",
                ROUTES + "[0].id=orders",
                ROUTES + "[0].uri=" + uri,
                ROUTES + "[0].predicates[0]=Path=/orders",
                ROUTES + "[0].filters[0]=" + filter,
                ROUTES + "[1].id=slow",
                ROUTES + "[1].uri=" + uri,
                ROUTES + "[1].predicates[0]=Path=/slow",
                ROUTES + "[1].filters[0]=Weir=api",
                ROUTES + "[2].id=missing",
                ROUTES + "[2].uri=" + uri,
                ROUTES + "[2].predicates[0]=Path=/missing",
                ROUTES + "[2].filters[0]=Weir=api");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Gateway {}
}

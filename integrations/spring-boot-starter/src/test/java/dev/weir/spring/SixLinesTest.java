package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The starter and six lines of YAML: a limited endpoint with all headers, on servlets and on WebFlux. */
class SixLinesTest {
    private static final String RULES = """
        weir.rules=rules:
          - name: orders
            match: { endpoint: "GET /orders" }
            key_by: api_key | ip
            limit: { requests: 2, window: 1h, algorithm: fixed_window }
        """;

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void limitsAnEndpointWithAllHeaders(WebApplicationType type) throws Exception {
        try (TestApplication app =
                TestApplication.start(type, Application.class, RULES, "weir.http.trusted-proxies=127.0.0.0/8")) {
            HttpResponse<String> first = app.get("/orders", "X-API-Key", "acme");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.body()).isEqualTo("orders");
            assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"orders\";q=2;w=3600");
            assertThat(first.headers().firstValue("RateLimit").orElse("")).startsWith("\"orders\";r=1;t=");
            assertThat(first.headers().firstValue("X-RateLimit-Limit")).hasValue("2");
            assertThat(first.headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
            assertThat(first.headers().firstValue("X-RateLimit-Reset")).isPresent();
            assertThat(first.headers().allValues("RateLimit")).hasSize(1);
            assertThat(app.get("/orders", "X-API-Key", "acme").statusCode()).isEqualTo(200);

            HttpResponse<String> denied = app.get("/orders;x=1", "X-API-Key", "acme");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
            assertThat(denied.headers().firstValue("Retry-After")).isPresent();
            assertThat(denied.body()).contains("\"rule\":\"orders\"", "\"status\":429");

            assertThat(app.get("/orders", "X-API-Key", "other").statusCode()).isEqualTo(200);
            String[] forwarded = {"X-Forwarded-For", "192.0.2.1"};
            assertThat(app.get("/orders", forwarded).statusCode()).isEqualTo(200);
            assertThat(app.get("/orders", forwarded).statusCode()).isEqualTo(200);
            assertThat(app.get("/orders", forwarded).statusCode()).isEqualTo(429);
            assertThat(app.get("/orders", "X-Forwarded-For", "192.0.2.2").statusCode())
                    .as("another caller behind the proxy")
                    .isEqualTo(200);
            assertThat(app.get("/free", "X-API-Key", "acme").headers().firstValue("RateLimit"))
                    .isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Application.Orders.class)
    static class Application {

        @RestController
        static class Orders {
            @GetMapping("/orders")
            String orders() {
                return "orders";
            }

            @GetMapping("/free")
            String free() {
                return "free";
            }
        }
    }
}

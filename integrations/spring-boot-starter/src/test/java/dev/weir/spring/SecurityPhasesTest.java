package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Rules by address are asked before Spring Security, and so count calls with wrong passwords; rules by user after it. */
class SecurityPhasesTest {
    private static final String RULES = """
        weir.rules=rules:
          - name: guesses
            match: { endpoint: "/private/*" }
            key_by: ip
            limit: { requests: 6, window: 1h, algorithm: fixed_window }
          - name: per-user
            key_by: user_id
            limit: { requests: 2, window: 1h, algorithm: fixed_window }
        """;

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void eachRuleIsAskedAsEarlyAsItCanBe(WebApplicationType type) throws Exception {
        try (TestApplication app = TestApplication.start(
                type,
                new Class<?>[] {Application.class},
                RULES,
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-details=always")) {
            HttpResponse<String> alice = get(app, "alice", "secret");
            assertThat(alice.statusCode()).isEqualTo(200);
            assertThat(alice.headers().allValues("RateLimit-Policy"))
                    .as("the policies of both phases")
                    .containsExactly("\"per-user\";q=2;w=3600, \"guesses\";q=6;w=3600");
            assertThat(alice.headers().firstValue("X-RateLimit-Remaining"))
                    .as("the smaller share")
                    .hasValue("1");
            assertThat(get(app, "alice", "secret").statusCode()).isEqualTo(200);
            HttpResponse<String> denied = get(app, "alice", "secret");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.body()).contains("\"rule\":\"per-user\"");
            assertThat(get(app, "bob", "secret").statusCode()).isEqualTo(200);

            assertThat(get(app, "bob", "guess").statusCode()).isEqualTo(401);
            assertThat(get(app, "bob", "guess").statusCode()).isEqualTo(401);
            HttpResponse<String> guess = get(app, "bob", "guess");
            assertThat(guess.statusCode())
                    .as("the seventh call from this address")
                    .isEqualTo(429);
            assertThat(guess.body()).contains("\"rule\":\"guesses\"");

            observes(app);
        }
    }

    /** The operators' view of it; tested here, because a context costs seconds. */
    private static void observes(TestApplication app) throws Exception {
        assertThat(app.get("/actuator/weir").body())
                .contains("\"store\":\"memory\"", "\"asked\":\"before security\"", "\"asked\":\"after security\"");
        assertThat(app.get("/actuator/weir?caller=user_id=bob").body())
                .contains("\"passes\":true", "\"rule\":\"per-user\"", "\"remaining\":1")
                .contains("\"limit\":\"2 per 1h, fixed_window\"");
        assertThat(app.get("/actuator/weir?caller=user_id=alice").body())
                .as("a caller that is denied now")
                .contains("\"passes\":false", "\"remaining\":0");
        assertThat(app.get("/actuator/health").body()).contains("\"weir\":{\"status\":\"UP\"");
        assertThat(app.get("/actuator/metrics/weir.checks?tag=rule:per-user&tag=outcome:denied")
                        .body())
                .contains("\"value\":1.0");
        assertThat(app.get("/actuator/metrics/weir.store.failures").body()).contains("\"value\":0.0");
    }

    private static HttpResponse<String> get(TestApplication app, String user, String password) throws Exception {
        String basic = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return app.get("/private/page", "Authorization", "Basic " + basic);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class Application {}

    @RestController
    static class Pages {
        @GetMapping("/private/page")
        String page() {
            return "page";
        }
    }
}

package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.testkit.ServedProcess;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** From memory to Redis to a server by one property: the same rules, the same answers, and a server that stops is told. */
class RemoteStoreTest {
    private static final String RULES = """
        deadline: 5s
        rules:
          - name: guesses
            match: { endpoint: "/private/*" }
            key_by: ip
            limit: { requests: 5, window: 30d, algorithm: fixed_window }
          - name: per-user
            key_by: user_id
            limit: { requests: 2, window: 30d, algorithm: fixed_window }
          - name: orders
            key_by: client_id
            limit: { requests: 3, window: 30d, algorithm: fixed_window }
        """;
    /** A busy machine may be slow; a server that is gone refuses the connection at once. */
    private static final String PATIENT = "weir.deadline=20s";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void everyStoreGivesTheSameAnswers(WebApplicationType type) throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                ServedProcess server = ServedProcess.in(folder, "--rules=" + rules())) {
            List<String> memory = answers(type, "weir.store=memory", "weir.rules=" + RULES);
            assertThat(memory)
                    .as("users, wrong passwords and methods, each by its rule")
                    .contains("200 1", "429 per-user", "401 -", "429 guesses", "200 placed", "429 orders");
            assertThat(answers(type, "weir.store=" + redis.uri(), "weir.rules=" + RULES))
                    .as("Redis")
                    .isEqualTo(memory);
            assertThat(answers(type, "weir.store=grpc://127.0.0.1:" + server.grpcPort()))
                    .as("a server")
                    .isEqualTo(memory);
        }
    }

    private static List<String> answers(WebApplicationType type, String... properties) throws Exception {
        List<String> answers = new ArrayList<>();
        try (TestApplication app = start(type, properties)) {
            for (int i = 0; i < 3; i++) {
                answers.add(text(get(app, "alice", "secret")));
            }
            answers.add(text(get(app, "bob", "guess")));
            answers.add(text(get(app, "bob", "secret")));
            answers.add(text(get(app, "bob", "secret")));
            answers.add(text(app.get("/place/2")));
            answers.add(text(app.get("/place/2")));
            answers.add(text(app.get("/place/1")));
        }
        return answers;
    }

    /** The status; and the rule that denied, what is left, or the body. */
    private static String text(HttpResponse<String> answer) {
        String rule = answer.body().contains("\"rule\":\"")
                ? answer.body().replaceAll("(?s).*\"rule\":\"([^\"]*)\".*", "$1")
                : answer.body().equals("placed")
                        ? "placed"
                        : answer.statusCode() == 401
                                ? "-"
                                : answer.headers()
                                        .firstValue("X-RateLimit-Remaining")
                                        .orElse("-");
        return answer.statusCode() + " " + rule;
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void onFailDecidesWhileTheServerIsGoneAndSaysSo(WebApplicationType type) throws Exception {
        ServedProcess server = ServedProcess.in(folder, "--rules=" + rules());
        String store = "weir.store=grpc://127.0.0.1:" + server.grpcPort();
        try (TestApplication allows = start(type, store);
                TestApplication denies = start(type, store, "weir.on-fail=deny");
                TestApplication decides = start(type, store, "weir.rules-mode=fallback", "weir.rules=" + RULES)) {
            assertThat(allows.get("/place/1").body()).isEqualTo("placed");
            assertThat(allows.get("/actuator/weir").body())
                    .contains("\"name\":\"guesses\"", "\"asked\":\"before security\"", "\"asked\":\"by methods\"");
            server.close();

            await().untilAsserted(() -> {
                HttpResponse<String> allowed = get(allows, "alice", "secret");
                assertThat(allowed.statusCode()).isEqualTo(200);
                assertThat(allowed.headers().firstValue("X-RateLimit-Degraded")).hasValue("true");
            });
            await().untilAsserted(() -> {
                HttpResponse<String> health = allows.get("/actuator/health");
                get(allows, "alice", "secret");
                assertThat(health.statusCode()).as("the application stays up").isEqualTo(200);
                assertThat(health.body()).contains("\"status\":\"DEGRADED\"");
            });
            assertThat(allows.get("/actuator/metrics/weir.store.failures").body())
                    .doesNotContain("\"value\":0.0");
            await().untilAsserted(() ->
                    assertThat(get(denies, "alice", "secret").statusCode()).isEqualTo(503));
            await().untilAsserted(() -> {
                HttpResponse<String> denied = get(decides, "alice", "secret");
                assertThat(denied.statusCode()).isEqualTo(429);
                assertThat(denied.headers().firstValue("X-RateLimit-Degraded")).hasValue("true");
            });
            assertThat(decides.get("/place/3").body())
                    .as("its rules, counted here")
                    .isEqualTo("placed");
            assertThat(decides.get("/place/1").statusCode()).isEqualTo(429);
        } finally {
            server.close();
        }
    }

    @Test
    void anApplicationStartsWithoutTheServerAndAsksItWhenItIsThere() throws Exception {
        int port;
        try (ServedProcess probe = ServedProcess.in(folder, "--rules=" + rules())) {
            port = probe.grpcPort();
        }
        try (TestApplication app =
                start(WebApplicationType.SERVLET, "weir.store=grpc://127.0.0.1:" + port, "weir.warm-up=100ms")) {
            HttpResponse<String> unlimited = get(app, "alice", "secret");
            assertThat(unlimited.statusCode()).isEqualTo(200);
            assertThat(unlimited.headers().firstValue("X-RateLimit-Degraded")).hasValue("true");
            assertThat(app.get("/place/3").body()).isEqualTo("placed");
            try (ServedProcess server = ServedProcess.in(folder, "--rules=" + rules(), "--grpc-port=" + port)) {
                assertThat(server.grpcPort()).isEqualTo(port);
                await().untilAsserted(() ->
                        assertThat(text(get(app, "alice", "secret"))).isEqualTo("429 per-user"));
                await().untilAsserted(
                                () -> assertThat(text(app.get("/place/2"))).isEqualTo("429 orders"));
            }
        }
    }

    private Path rules() throws Exception {
        return Files.writeString(folder.resolve("rules.yaml"), RULES);
    }

    private static TestApplication start(WebApplicationType type, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                PATIENT,
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-details=always"));
        all.addAll(Arrays.asList(properties));
        return TestApplication.start(type, Application.class, all.toArray(String[]::new));
    }

    private static HttpResponse<String> get(TestApplication app, String user, String password) throws Exception {
        String basic = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return app.get("/private/page", "Authorization", "Basic " + basic);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Pages.class, Orders.class})
    static class Application {}

    static class Orders {
        @RateLimited(value = "orders", key = "#client", cost = "#items")
        public Mono<String> place(String client, int items) {
            return Mono.just("placed");
        }
    }

    @RestController
    static class Pages {
        private final Orders orders;

        Pages(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/private/page")
        String page() {
            return "page";
        }

        @GetMapping("/place/1")
        Mono<String> one() {
            return orders.place("acme", 1);
        }

        @GetMapping("/place/2")
        Mono<String> two() {
            return orders.place("acme", 2);
        }

        @GetMapping("/place/3")
        Mono<String> three() {
            return orders.place("acme", 3);
        }
    }
}

package dev.weir.server.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.load.LoadShares;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.remote.LoadReporter;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.RunningServer;
import dev.weir.server.StallMeter;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitsUnderLoadTest {
    private static final String RULES = """
        domain: api
        rules:
          - name: orders
            key_by: user_id
            limit: { requests: 1000, window: 1m, algorithm: fixed_window }
            follows: { service: payments, at: { 0.8: 1, 0.9: 0.5 } }
          - { name: rest, key_by: user_id, limit: { requests: 5000, window: 1m, algorithm: fixed_window } }
        """;
    private static final Map<String, String> SECRET = Map.of("WEIR_FLEET_SECRET", "0123456789abcdef0123456789abcdef");
    /** The promise is two seconds; a busy machine may take longer to get there, and not to keep it. */
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @Test
    void aRuleIsCompiledWithTheShareThatItsLoadLeaves() throws Exception {
        WrittenRules rules = RuleLoader.parse("a.yaml", RULES).orThrow();
        AtomicLong nanos = new AtomicLong();
        AtomicInteger changes = new AtomicInteger();
        try (LimitsUnderLoad limits = new LimitsUnderLoad(nanos::get, () -> nanos.get() / 1_000_000)) {
            limits.connect(() -> rules, changes::incrementAndGet, null, null);
            Rule orders = rules.rules().get(0);
            limits.follow();
            assertThat(limits.apply(orders)).isSameAs(orders);
            limits.report("payments", "a", 0.9);
            limits.follow();
            assertThat(changes).hasValue(1);
            assertThat(limits.apply(orders).limit()).isEqualTo(Limit.fixedWindow(500, Duration.ofMinutes(1)));
            assertThat(limits.apply(rules.rules().get(1)))
                    .isSameAs(rules.rules().get(1));
            nanos.set(Duration.ofSeconds(10).toNanos()); // silence
            limits.follow();
            assertThat(changes).hasValue(2);
            assertThat(limits.apply(orders).loadShare()).isEqualTo(525);
        }
    }

    @Test
    void aScaledLimitCanBeCountedAndLetsARequestPass() {
        Rule rule = Rule.builder("d", "r").cost(5).build();
        Limit day = Limit.tokenBucket(1_000_000, Duration.ofDays(1)).withBurst(2_000_000);
        for (int share = 100; share <= 1_000; share++) {
            Rule scaled = LoadShares.scaled(rule, day, share);
            Limit limit = Objects.requireNonNull(scaled.limit());
            assertThat(Meters.refusal(limit)).isNull();
            assertThat(scaled.loadShare()).isBetween(share - 50, share);
            assertThat(limit.requests()).isBetween(1_000L * (share - 50), 1_000L * share);
        }
        Limit small = Limit.tokenBucket(7, Duration.ofSeconds(1));
        assertThat(LoadShares.scaled(rule, small, 100).limit()).isEqualTo(Limit.tokenBucket(5, Duration.ofSeconds(1)));
        Limit none = Limit.tokenBucket(0, Duration.ofSeconds(1));
        assertThat(LoadShares.scaled(rule, none, 100).limit()).isEqualTo(none);
    }

    @Test
    void aReportLowersTheLimitOnAllServersOfARedis() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), RULES);
        try (RedisProcess redis = RedisProcess.start();
                RunningServer one = RunningServer.with(SECRET, rules, "store", redis.uri());
                RunningServer other = RunningServer.with(SECRET, rules, "store", redis.uri());
                RunningServer third = RunningServer.with(SECRET, rules, "store", redis.uri());
                StallMeter stalls = new StallMeter()) {
            for (RunningServer each : List.of(one, other, third)) {
                assertThat(limitOf(each)).isEqualTo("1000");
            }
            stalls.reset();
            long start = System.nanoTime();
            HttpResponse<String> reported = one.post("/v1/load/payments", "{\"utilisation\": 0.9}");
            assertThat(reported.statusCode()).as(reported.body()).isEqualTo(202);
            for (RunningServer each : List.of(one, other, third)) {
                await().pollInterval(Duration.ofMillis(10))
                        .atMost(SOON)
                        .until(() -> limitOf(each).equals("500"));
            }
            Duration took = stalls.runSince(start);
            System.out.printf("a load halves the limits of three servers after %d ms%n", took.toMillis());
            assertThat(took).isLessThan(Duration.ofSeconds(2));
            for (RunningServer each : List.of(one, other, third)) {
                String metrics = each.get("/metrics").body();
                assertThat(metrics).contains("ratelimit_load_share_ratio{domain=\"api\",rule=\"orders\"} 0.5");
            }
            // Nobody reports any more: after ten seconds of silence the limits rise again, by a fortieth every ten.
            for (RunningServer each : List.of(one, other, third)) {
                await().atMost(Duration.ofSeconds(60)).until(() -> Integer.parseInt(limitOf(each)) >= 525);
            }
            assertThat(stalls.runSince(start))
                    .isGreaterThan(Duration.ofSeconds(5))
                    .isLessThan(Duration.ofSeconds(30));
            assertThat(other.get("/metrics").body())
                    .doesNotContain("ratelimit_load_share_ratio{domain=\"api\",rule=\"orders\"} 0.5\n")
                    .contains("ratelimit_load_share_ratio{domain=\"api\",rule=\"rest\"} 1.0")
                    .contains("ratelimit_notes_rejected_total{kind=\"loads\",reason=\"forged\"} 0.0");
        }
    }

    /** Somebody who can write to Redis lowers every limit, unless the fleet has a secret. */
    @Test
    void aForgedLoadIsIgnored() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), RULES);
        try (RedisProcess redis = RedisProcess.start();
                RunningServer server = RunningServer.with(SECRET, rules, "store", redis.uri())) {
            var unused = redis.cli(
                    "XADD",
                    "weir:{AAAAAAAAAAA}/notes:loads",
                    "*",
                    "r",
                    "{\"by\":\"x\",\"number\":1,\"at\":" + System.currentTimeMillis()
                            + ",\"service\":\"payments\",\"utilisation\":1.0}");
            await().atMost(SOON)
                    .until(() -> server.get("/metrics")
                            .body()
                            .contains("ratelimit_notes_rejected_total{kind=\"loads\",reason=\"unsigned\"} 1.0"));
            assertThat(limitOf(server)).isEqualTo("1000");
        }
    }

    @Test
    void aWrongReportIsRefusedAndChangesNothing() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), RULES);
        try (RunningServer server = RunningServer.with(rules)) {
            assertThat(refusal(server, "payments", "{\"utilisation\": NaN}", 400))
                    .contains("'NaN'", "at line 1, column 20");
            assertThat(refusal(server, "payments", "{\"utilisation\": \"NaN\"}", 400))
                    .contains("utilisation: ", "NaN", "(expected: a number from 0 to 1)");
            assertThat(refusal(server, "payments", "{\"utilisation\": -1}", 400))
                    .contains("utilisation: -1 (expected: a number from 0 to 1) at line 1, column 17");
            assertThat(refusal(server, "payments", "{\"utilisation\": 1e9}", 400))
                    .contains("utilisation: 1e9 (expected: a number from 0");
            assertThat(refusal(server, "payments", "{\"utilisation\": 1e400}", 400))
                    .contains("utilisation: 1e400 (expected: a number from 0");
            assertThat(refusal(server, "payments", "{\"utilisation\": 0.1, \"utilisation\": 0.9}", 400))
                    .contains("Duplicate field 'utilisation'");
            assertThat(refusal(server, "payments", "{}", 400)).contains("utilisation: missing");
            assertThat(refusal(server, "payments", "[]", 400)).contains("body: a list");
            assertThat(refusal(server, "payments", "{\"utilization\": 1}", 400))
                    .contains("unknown member", "did you mean utilisation?");
            assertThat(refusal(server, "payments", "{\"utilisation\": 1, \"reporter\": 7}", 400))
                    .contains("reporter: 7 (expected: a string)");
            assertThat(refusal(server, "payments", "{\"utilisation\": 1, \"reporter\": \" \"}", 400))
                    .contains("reporter: ", "a name");
            assertThat(refusal(server, "paymets", "{\"utilisation\": 1}", 404)).contains("payments");
            assertThat(server.get("/v1/load/payments").statusCode()).isEqualTo(405);
            assertThat(limitOf(server)).isEqualTo("1000");
        }
    }

    @Test
    void onceThereIsATokenAReportNeedsIt() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), RULES);
        Map<String, String> token = Map.of("WEIR_ADMIN_TOKEN", "weir_0123456789abcdef0123456789abcdef");
        try (RunningServer server = RunningServer.with(token, rules)) {
            assertThat(refusal(server, "payments", "{\"utilisation\": 1}", 401)).contains("required to report a load");
            HttpResponse<String> reported = server.http.post(
                    "/v1/load/payments",
                    "{\"utilisation\": 1}",
                    "Authorization",
                    "Bearer weir_0123456789abcdef0123456789abcdef",
                    "Content-Type",
                    "application/json");
            assertThat(reported.statusCode()).as(reported.body()).isEqualTo(202);
            await().atMost(SOON).until(() -> limitOf(server).equals("500"));
        }
    }

    @Test
    @SuppressWarnings("try") // the reporter works until it is closed
    void theLibraryReportsALoad() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), RULES);
        String token = "weir_0123456789abcdef0123456789abcdef";
        try (RunningServer server = RunningServer.with(Map.of("WEIR_ADMIN_TOKEN", token), rules);
                LoadReporter reporter = LoadReporter.to(server.url(), "payments")
                        .reporter("payments-7")
                        .token(() -> token)
                        .start(() -> 0.85)) {
            assertThat(reporter).isNotNull();
            await().atMost(SOON).until(() -> limitOf(server).equals("750"));
        }
    }

    @Test
    void prometheusIsAsked() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            HttpServer prometheus = vertx.createHttpServer()
                    .requestHandler(request -> request.response()
                            .end(
                                    "max(cpu)".equals(request.getParam("query"))
                                                    && "/p/api/v1/query".equals(request.path())
                                            ? vector("0.3", "0.85")
                                            : "{}"))
                    .listen(0, "127.0.0.1")
                    .await();
            Path rules = Files.writeString(
                    folder.resolve("api.yaml"),
                    RULES + "services: { payments: { load: { prometheus: \"http://127.0.0.1:" + prometheus.actualPort()
                            + "/p/\", query: max(cpu) } } }\n");
            try (RunningServer server = RunningServer.with(rules)) {
                await().atMost(SOON).until(() -> limitOf(server).equals("750"));
            }
        } finally {
            vertx.close().await();
        }
    }

    @Test
    void anAnswerOfPrometheusIsReadWithCare() throws Exception {
        assertThat(PrometheusLoads.utilisation(vector("0.5"))).isEqualTo(0.5);
        assertThat(PrometheusLoads.utilisation("{\"data\":{\"resultType\":\"scalar\",\"result\":[1,\"0.25\"]}}"))
                .isEqualTo(0.25);
        assertRefused(vector(), "the query has no value");
        assertRefused(vector("NaN"), "the query has no value");
        assertRefused(vector("93"), "the query gives 93.0 (expected: a utilisation from 0 to 1)");
        assertRefused(vector("-1"), "the query gives -1.0");
        assertRefused("<html>", "not an answer of Prometheus");
        assertRefused("{\"data\":{\"resultType\":\"vector\",\"result\":[1]}}", "not an answer of Prometheus");
        assertRefused("{\"data\":{\"resultType\":\"scalar\",\"result\":[]}}", "not an answer of Prometheus");
    }

    private static void assertRefused(String answer, String why) {
        assertThatThrownBy(() -> PrometheusLoads.utilisation(answer))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }

    private static String vector(String... values) {
        StringBuilder series = new StringBuilder();
        for (String each : values) {
            series.append(series.isEmpty() ? "" : ",")
                    .append("{\"metric\":{},\"value\":[1,\"")
                    .append(each)
                    .append("\"]}");
        }
        return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" + series + "]}}";
    }

    private static String refusal(RunningServer server, String service, String body, int status) throws Exception {
        HttpResponse<String> answer = server.post("/v1/load/" + service, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }

    private static String limitOf(RunningServer server) throws Exception {
        return server.post("/v1/ratelimit/check", "{\"domain\":\"api\",\"user_id\":\"u\"}")
                .headers()
                .firstValue("X-RateLimit-Limit")
                .orElse("none");
    }
}

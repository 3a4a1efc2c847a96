package dev.weir.server.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Decision;
import dev.weir.Hold;
import dev.weir.Limit;
import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import dev.weir.Permit;
import dev.weir.RateLimiter;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.StoreFailure;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.RedisStore;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.rules.Rules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The examples of the documentation, word for word: {@link DocumentationTest} compares them. */
class DocumentationExamplesTest {
    private static final String ORDERS = """
            domain: api
            rules:
              - name: orders
                match: { endpoint: "POST /orders" }
                key_by: api_key
                limit: { requests: %s, window: 1h }
            """;

    private int served;
    private @Nullable Duration rejected = Duration.ZERO;
    private final List<String> logged = new ArrayList<>();
    private final List<String> counted = new ArrayList<>();

    @Test
    void oneLimitAnyNumberOfKeys() throws Exception {
        RateLimiter limiter =
                RateLimiter.of(Limit.tokenBucket(100, Duration.ofSeconds(1)).withBurst(200));

        if (limiter.tryAcquire("user-42")) {
            serve();
        }
        assertThat(served).isEqualTo(1);

        if (limiter.acquire("user-42", Duration.ofMillis(500))) {
            serve();
        }
        assertThat(served).isEqualTo(2);

        limiter.limit(Limit.tokenBucket(5, Duration.ofMinutes(1)));
        Verdict verdict = limiter.check("user-42", 5);
        if (!verdict.allowed()) {
            Duration wait = verdict.retryAfter();
            reject(wait);
        }
        assertThat(rejected).isPositive().isLessThanOrEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void theReadme() {
        RateLimiter limiter =
                RateLimiter.of(Limit.tokenBucket(100, Duration.ofSeconds(1)).withBurst(200));
        if (limiter.tryAcquire("user-42")) {
            // serve it
        }
        assertThat(limiter.probe("user-42").remaining()).isBetween(199L, 200L);
    }

    @Test
    void rulesThatChange() throws Exception {
        Path file = Path.of("rules.yaml");
        Files.writeString(file, ORDERS.formatted(0));
        try {
            Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")));

            Request request = Request.to("api").with("api_key", "k1").with("endpoint", "POST /orders");
            Decision decision = weir.decide(request);
            if (!decision.allowed()) {
                log(decision.ruleName() + " denies " + decision.counterName());
                reject(decision.retryAfter());
            }

            assertThat(logged).containsExactly("orders denies api_key=k1");
            assertThat(rejected).as("a limit of zero: nothing will ever fit").isNull();
            Files.writeString(file, ORDERS.formatted(1));
            await().until(() -> weir.decide(request).allowed());
            weir.close();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void rulesWithoutAFile() {
        RuleSet rules = RuleSet.builder("api")
                .rule("orders", Limit.tokenBucket(100, Duration.ofSeconds(1)))
                .match("endpoint", "POST /orders")
                .keyBy("api_key | ip")
                .rule("all", Limit.fixedWindow(10_000, Duration.ofMinutes(1)))
                .build();

        Request request = Request.to("api").with("api_key", "k1").with("endpoint", "POST /orders");
        try (Weir weir = Weir.open(rules)) {
            assertThat(weir.decide(request).verdicts())
                    .extracting(Verdict::ruleName)
                    .containsExactly("orders", "all");
        }
    }

    @Test
    void permitsThatAreClosed() {
        RuleSet rules = RuleSet.builder("api")
                .rule("exports", Limit.concurrency(1, Duration.ofMinutes(1)))
                .build();
        Request request = Request.to("api").with("api_key", "k1");
        try (Weir weir = Weir.open(rules)) {
            for (int i = 0; i < 2; i++) {
                try (Permit permit = weir.decide(request).permit()) {
                    if (permit.isHeld()) {
                        serve();
                    }
                }
            }
        }
        assertThat(served).isEqualTo(2);
    }

    @Test
    void holdsThatAreSettledOrReleased() {
        RuleSet rules = RuleSet.builder("llm")
                .rule("tokens", Limit.tokenBucket(5_000, Duration.ofDays(1)))
                .counts("output_tokens")
                .keyBy("api_key")
                .build();
        try (Weir weir = Weir.open(rules)) {
            answer(weir, "short");
            assertThat(left(weir)).isEqualTo(4_995);
            assertThatThrownBy(() -> answer(weir, "")).hasMessage("no prompt");
            assertThat(left(weir)).as("the call failed, so nothing is held").isEqualTo(4_995);
            answer(weir, "x".repeat(1_000));
            assertThat(rejected).isZero();
            answer(weir, "too much");
            assertThat(rejected).isPositive();
        }
    }

    private void answer(Weir weir, String prompt) {
        Request estimate = Request.to("llm").with("api_key", "k1").hits("output_tokens", 4_000);
        try (Hold hold = weir.reserve(estimate)) {
            if (hold.decision().allowed()) {
                Answer answer = ask(prompt);
                hold.settle("output_tokens", answer.tokens());
            } else {
                reject(hold.decision().retryAfter());
            }
        }
    }

    private static long left(Weir weir) {
        Request asking = Request.to("llm").with("api_key", "k1").hits("output_tokens", 0);
        return weir.decide(asking).verdicts().get(0).remaining();
    }

    /** The answer of a language model. */
    private record Answer(long tokens) {}

    private static Answer ask(String prompt) {
        if (prompt.isEmpty()) {
            throw new IllegalArgumentException("no prompt");
        }
        return new Answer(prompt.length());
    }

    @Test
    void limitsThatSeveralProcessesShare() {
        RuleSet rules = Rules.yaml(ORDERS.formatted(1));
        Limit limit = Limit.fixedWindow(1, Duration.ofHours(1));
        Request request = Request.to("api").with("api_key", "k1").with("endpoint", "POST /orders");
        try (RedisProcess server = RedisProcess.start()) {
            String redis = server.uri();
            Weir weir = Weir.open(rules, RedisStore.at(redis));
            RateLimiter limiter = RateLimiter.open("logins", limit, RedisStore.at(redis));

            await().until(() -> !weir.decide(request).allowed());
            await().until(() -> !limiter.tryAcquire("user-42"));
            weir.close();
            limiter.close();
        }
    }

    @Test
    void limitsInSeveralStores() {
        RuleSet rules = Rules.yaml("""
                domain: api
                rules: [{ name: top, store: big, limit: { requests: 0, window: 1h } }]
                """);
        RedisCredentials credentials = new RedisCredentials("", "");
        WeirObserver observer = new WeirObserver() {
            @Override
            public void decided(Request request, Decision decision) {
                count(decision.allowed() ? "allowed" : "denied by " + decision.ruleName());
            }

            @Override
            public void storeFailed(StoreFailure failure) {
                count("store failure: " + failure.label());
            }
        };
        try (RedisProcess server = RedisProcess.start()) {
            String redis = server.uri();
            String big = server.uri();
            Weir weir = Weir.builder(rules)
                    .store(RedisStore.at(redis))
                    .store("big", RedisStore.at(big).withCredentials(() -> credentials))
                    .deadline(Duration.ofMillis(5))
                    .observer(observer)
                    .open();
            Request request = Request.to("api").with("user_id", "u");
            await().until(() -> !weir.decide(request).degraded());
            weir.close();
        }
        assertThat(counted).contains("denied by top");
    }

    @Test
    void timeThatTheTestTurns() {
        AtomicLong micros = new AtomicLong();
        RateLimiter limiter = RateLimiter.builder(Limit.fixedWindow(1, Duration.ofSeconds(1)))
                .time(micros::get)
                .open();

        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
        micros.set(1_000_000);
        assertThat(limiter.tryAcquire("a")).isTrue();
    }

    @Test
    void loadShedding() {
        LoadShedder shedder = LoadShedder.create();

        try (Admission admission = shedder.tryAcquire(Priority.READ)) {
            if (admission == null) {
                unavailable(LoadShedder.retryAfterSeconds());
            } else {
                serve();
            }
        }
        assertThat(served).isEqualTo(1);
        assertThat(shedder.inFlight()).isZero();

        while (shedder.tryAcquire(Priority.CRITICAL) != null) {
            // Until the process has more than it can do.
        }
        try (Admission admission = shedder.tryAcquire(Priority.READ)) {
            if (admission == null) {
                unavailable(LoadShedder.retryAfterSeconds());
            }
        }
        assertThat(rejected).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3));
    }

    private void unavailable(long retryAfterSeconds) {
        rejected = Duration.ofSeconds(retryAfterSeconds);
    }

    private void serve() {
        served++;
    }

    private void log(String line) {
        logged.add(line);
    }

    private synchronized void count(String what) {
        counted.add(what);
    }

    private void reject(@Nullable Duration wait) {
        rejected = wait;
    }
}

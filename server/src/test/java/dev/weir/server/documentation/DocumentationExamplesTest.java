package dev.weir.server.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.RateLimiter;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.RedisSettings;
import dev.weir.redis.library.SharedLimiter;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.rules.LoadOptions;
import dev.weir.rules.RuleLoader;
import dev.weir.rules.RuleWatcher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The examples of the documentation, word for word: {@link DocumentationTest} compares them. */
class DocumentationExamplesTest {
    private int served;
    private @Nullable Duration rejected;

    @Test
    void oneLimitAnyNumberOfKeys() {
        RateLimiter limiter =
                RateLimiter.of(Limit.tokenBucket(100, Duration.ofSeconds(1)).withBurst(200));

        if (limiter.tryAcquire("user-42")) {
            serve();
        }
        assertThat(served).isEqualTo(1);

        limiter.limit(Limit.tokenBucket(5, Duration.ofMinutes(1)));
        MutableVerdict verdict = limiter.acquire("user-42", 5);
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
        Files.writeString(file, RuleLoader.exampleText());
        try {
            Limiter limiter = Weir.inMemory(RuleSet.empty());
            RuleWatcher watcher = new RuleWatcher(Path.of("rules.yaml"), LoadOptions.DEFAULT, changed -> {
                changed.diagnostics().forEach(System.err::println);
                if (changed.isLoaded()) {
                    limiter.rules(changed.orThrow());
                }
            });
            limiter.rules(watcher.load().orThrow());
            watcher.start();

            Request request = Request.to("api")
                    .with("api_key", "k1")
                    .with("endpoint", "POST /orders")
                    .asAttributes();
            MutableDecision decision = limiter.decide(request);

            assertThat(decision.allowed()).isTrue();
            assertThat(decision.binding()).isNotNull();

            Files.writeString(file, "domain: api\nrules: [{ name: new, limit: { requests: 1, window: 1h } }]\n");
            await().until(() -> limiter.rules().rules().size() == 1);
            watcher.close();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void rulesWithoutAFile() {
        RuleSet rules = RuleSet.builder()
                .weir(
                        "api",
                        List.of(new WeirRule(
                                Rule.builder("api", "orders")
                                        .limit(Limit.tokenBucket(100, Duration.ofSeconds(1)))
                                        .build(),
                                List.of(Condition.of("endpoint", "POST /orders")),
                                KeyBy.of("api_key"))))
                .build();

        Request request = Request.to("api")
                .with("api_key", "k1")
                .with("endpoint", "POST /orders")
                .asAttributes();
        assertThat(Weir.inMemory(rules).decide(request))
                .asString()
                .contains("allowed under orders (100 per 1s, token_bucket): 99 left");
    }

    @Test
    @SuppressWarnings("NullAway") // a denial has a binding verdict
    void limitsThatSeveralProcessesShare() {
        RuleSet rules = RuleLoader.parse("rules.yaml", """
                        domain: api
                        rules: [{ name: none, deadline: 5s, limit: { requests: 0, window: 1h } }]
                        """).orThrow();
        Request request = Request.to("api").with("user_id", "u").asAttributes();
        rejected = Duration.ZERO;
        try (RedisProcess server = RedisProcess.start()) {
            String redis = server.uri();
            try (SharedLimiter limiter = SharedLimiter.open(rules, redis)) {
                MutableDecision decision = limiter.decide(request);
                if (!decision.allowed()) {
                    reject(decision.binding().retryAfter());
                }
            }
        }
        assertThat(rejected)
                .as("of a limit that is zero: nothing will ever fit")
                .isNull();
    }

    @Test
    void limitsInSeveralStores() {
        RuleSet rules = RuleLoader.parse("rules.yaml", """
                        domain: api
                        rules: [{ name: top, store: big, limit: { requests: 5, window: 1h } }]
                        """).orThrow();
        RedisCredentials credentials = new RedisCredentials("", "");
        LimiterObserver observer = new LimiterObserver() {};
        try (RedisProcess server = RedisProcess.start()) {
            String redis = server.uri();
            String big = server.uri();
            SharedLimiter limiter = SharedLimiter.builder(rules)
                    .store(redis)
                    .store("big", RedisSettings.of(big).withCredentials(() -> credentials))
                    .deadline(Duration.ofMillis(5))
                    .observer(observer)
                    .open();
            Request request = Request.to("api").with("user_id", "u").asAttributes();
            await().until(() -> !limiter.decide(request).degraded());
            limiter.close();
        }
    }

    @Test
    void timeThatTheTestTurns() {
        AtomicLong now = new AtomicLong();
        RateLimiter limiter = RateLimiter.builder(Limit.fixedWindow(1, Duration.ofSeconds(1)))
                .time(now::get)
                .build();

        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
        now.set(1_000_000);
        assertThat(limiter.tryAcquire("a")).isTrue();
    }

    private void serve() {
        served++;
    }

    private void reject(@Nullable Duration wait) {
        rejected = wait;
    }
}

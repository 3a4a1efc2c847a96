package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.RateLimiter;
import dev.weir.Weir;
import dev.weir.limiter.Limiter;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.Request;
import dev.weir.model.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The examples of the documentation, word for word: {@link DocumentationTest} compares them. */
final class DocumentationExamplesTest {
    private int served;
    private @Nullable Duration rejected;

    @Test
    void one_limit_any_number_of_keys() {
        RateLimiter limiter =
                RateLimiter.of(Limit.tokenBucket(100, Duration.ofSeconds(1)).withBurst(200));

        if (limiter.tryAcquire("user-42")) {
            serve();
        }
        assertThat(served).isEqualTo(1);

        limiter.limit(Limit.tokenBucket(5, Duration.ofMinutes(1)));
        Verdict verdict = limiter.acquire("user-42", 5);
        if (!verdict.allowed()) {
            Duration wait = verdict.retryAfter();
            reject(wait);
        }
        assertThat(rejected).isPositive().isLessThanOrEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void the_readme() {
        RateLimiter limiter =
                RateLimiter.of(Limit.tokenBucket(100, Duration.ofSeconds(1)).withBurst(200));
        if (limiter.tryAcquire("user-42")) {
            // serve it
        }
        assertThat(limiter.probe("user-42").remaining()).isBetween(199L, 200L);
    }

    @Test
    void rules() throws Exception {
        Path file = Path.of("rules.yaml");
        Files.writeString(file, RuleLoader.exampleText());
        try {
            LoadResult loaded = RuleLoader.load(Path.of("rules.yaml"));
            loaded.diagnostics().forEach(System.err::println);

            Limiter limiter = Weir.inMemory(loaded.orThrow());
            Request request = Request.to("api")
                    .with("api_key", "k1")
                    .with("endpoint", "POST /orders")
                    .asAttributes();
            Decision decision = limiter.decide(request);

            assertThat(decision.allowed()).isTrue();
            assertThat(decision.binding()).isNotNull();

            RuleWatcher watcher = new RuleWatcher(Path.of("rules.yaml"), LoadOptions.DEFAULT, changed -> {
                changed.diagnostics().forEach(System.err::println);
                if (changed.isLoaded()) {
                    limiter.rules(changed.orThrow());
                }
            });
            watcher.start();

            Files.writeString(file, "domain: api\nrules: [{ name: new, limit: { requests: 1, window: 1h } }]\n");
            await().until(() -> limiter.rules().rules().size() == 1);
            watcher.close();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void time_that_the_test_turns() {
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

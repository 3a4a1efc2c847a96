package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HoldMetricsTest {
    private final AtomicLong now = new AtomicLong(1_700_000_000_000_000L);
    private final RuleMetrics counts = new RuleMetrics(now::get, false, null);
    private final Limiter limiter = new Limiter(
            WrittenRules.builder()
                    .weir(
                            "llm",
                            List.of(new WeirRule(
                                    Rule.builder("llm", "tokens")
                                            .limit(Limit.tokenBucket(100, Duration.ofDays(1)))
                                            .build(),
                                    List.of(),
                                    KeyBy.global())))
                    .build(),
            new MemoryStore(10),
            now::get,
            LimiterSettings.defaults(),
            counts);
    private final ServerMetrics metrics = new ServerMetrics(counts);

    private @Nullable HeldRequest reserve(long hits) {
        return limiter.holds()
                .reserve(request(hits), Holds.DEFAULT_TTL)
                .toCompletableFuture()
                .join()
                .hold();
    }

    private static Request request(long hits) {
        return Request.to("llm").with("user", "u").hits(hits);
    }

    private void settle(@Nullable HeldRequest hold, long hits) {
        if (hold != null) {
            limiter.holds().settle(hold, request(hits)).toCompletableFuture().join();
        }
    }

    @Test
    void countsWhatIsReservedRefusedSettledAndOwed() {
        counts.holds().addTo(metrics, limiter.holds());
        assertThat(metrics.scrape())
                .contains("ratelimit_reserves_total{result=\"held\"} 0.0")
                .contains("ratelimit_settlements_total{result=\"unanswered\"} 0.0")
                .contains("ratelimit_hold_debts_total 0.0");
        HeldRequest first = reserve(40);
        HeldRequest second = reserve(40);
        HeldRequest third = reserve(10);
        assertThat(reserve(40)).isNull();
        settle(first, 20);
        settle(first, 20);
        settle(second, 60);
        assertThat(metrics.scrape()).contains("ratelimit_open_holds 1.0");
        now.addAndGet(60_000_000);
        settle(third, 0);
        assertThat(metrics.scrape())
                .contains("ratelimit_reserves_total{result=\"held\"} 3.0")
                .contains("ratelimit_reserves_total{result=\"refused\"} 1.0")
                .contains("ratelimit_settlements_total{result=\"done\"} 2.0")
                .contains("ratelimit_settlements_total{result=\"before\"} 1.0")
                .contains("ratelimit_settlements_total{result=\"expired\"} 1.0")
                .contains("ratelimit_hold_debts_total 1.0");
        metrics.close();
    }
}

package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CapacityMetricsTest {
    private long now = 1_800_000_000_000_000L;

    @Test
    void showsHowNearAServiceIsToItsCapacityAndWhomItSheds() {
        Rule service = Rule.builder("api", "service:pay")
                .label("service:pay")
                .limit(Limit.slidingWindow(100, Duration.ofSeconds(1)))
                .reserve(200)
                .build();
        WrittenRules rules = WrittenRules.builder()
                .weir("api", List.of(new WeirRule(service, List.of(), KeyBy.global())))
                .build();
        Limiter limiter = new Limiter(
                rules, new MemoryStore(64), () -> now, LimiterSettings.defaults(), new LimiterObserver() {});
        assertThat(scrape(limiter))
                .contains("ratelimit_capacity_shed_total{domain=\"api\",rule=\"service:pay\",priority=\"test\"} 0\n")
                .contains("ratelimit_capacity_admitted_ratio{domain=\"api\",rule=\"service:pay\"} 1.0\n")
                .contains("ratelimit_capacity_reserve_ratio{domain=\"api\",rule=\"service:pay\"} 0.025\n")
                .contains("ratelimit_capacity_usage_ratio{domain=\"api\",rule=\"service:pay\"} NaN\n");
        for (int i = 0; i < 2_000; i++) {
            now += 2_000;
            limiter.decide(Request.to("api").with("user_id", "u" + i % 100));
        }
        assertThat(scrape(limiter))
                .doesNotContain("admitted_ratio{domain=\"api\",rule=\"service:pay\"} 1.0\n")
                .doesNotContain("shed_total{domain=\"api\",rule=\"service:pay\",priority=\"write\"} 0\n")
                .doesNotContain("} NaN");
    }

    private String scrape(Limiter limiter) {
        Exposition out = new Exposition();
        new CapacityMetrics(limiter, () -> now).write(out);
        return out.toString();
    }
}

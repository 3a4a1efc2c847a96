package dev.weir.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A minute of the demo, in virtual time. */
class DemoCallersTest {
    private static final long STEP_MILLIS = 20;

    @Test
    void inTheFirstMinuteEveryKindOfCallerIsSeenAndTheRightOnesAreDenied() {
        LoadResult loaded = RuleLoader.parse(DemoRules.FILE, DemoRules.text());
        assertThat(loaded.diagnostics()).isEmpty();
        WrittenRules rules = Objects.requireNonNull(loaded.rules());
        AtomicLong micros = new AtomicLong(1_000_000_000_000L);
        Map<String, Integer> allowed = new HashMap<>();
        Map<String, Integer> denied = new HashMap<>();
        try (MemoryStore store = new MemoryStore(10_000)) {
            Limiter limiter =
                    new Limiter(rules, store, micros::get, LimiterSettings.defaults(), new LimiterObserver() {});
            DemoCallers callers = new DemoCallers(1);
            for (long at = 0; at < 60_000; at += STEP_MILLIS) {
                micros.addAndGet(STEP_MILLIS * 1_000);
                callers.send(at, STEP_MILLIS, request -> {
                    String key =
                            request.value(0, "api_key") == null ? request.value(0, "ip") : request.value(0, "api_key");
                    MutableDecision decision = limiter.decide(request);
                    (decision.allowed() ? allowed : denied).merge(String.valueOf(key), 1, Integer::sum);
                });
            }
        }
        int all = sum(allowed) + sum(denied);
        assertThat(all).as("a second").isBetween(60 * 100, 60 * 400);
        assertThat(denied.get("203.0.113.66")).as("the guesser").isGreaterThan(300);
        assertThat(denied.get("scraper-7")).isGreaterThan(300);
        assertThat(denied.get("warehouse-sync")).as("the nightly batch").isGreaterThan(50);
        assertThat(denied.get("mobile-2.1")).as("the client that retries").isGreaterThan(10);
        assertThat(denied.keySet()).noneMatch(each -> each.startsWith("enterprise-"));
        assertThat(allowed.keySet()).anyMatch(each -> each.startsWith("free-"));
        assertThat((double) sum(denied) / all).as("most callers are well").isBetween(0.05, 0.4);
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }
}

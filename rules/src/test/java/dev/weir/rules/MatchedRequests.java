package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rules in force, and the counters that were met so far: what a model calls the same must be one counter, and nothing else. */
final class MatchedRequests {
    private final Limiter limiter;
    private final Map<Object, Long> counters = new HashMap<>();
    private final Map<Long, Object> meanings = new HashMap<>();

    MatchedRequests(String file) {
        limiter = new Limiter(
                RuleLoader.parse("f", file).orThrow(),
                new MemoryStore(1_000_000),
                TimeSource.system(),
                LimiterSettings.defaults(),
                new LimiterObserver() {});
    }

    /** Asks for one descriptor; {@code expected} are the counters that it meets, by the labels of their rules. */
    void check(List<Map.Entry<String, String>> entries, boolean asAttributes, Map<String, Object> expected) {
        Request request = Request.to("d").descriptor();
        entries.forEach(each -> request.with(each.getKey(), each.getValue()));
        MutableDecision decision = limiter.decide(asAttributes ? request.asAttributes() : request);
        Map<String, Long> met = new LinkedHashMap<>();
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (verdict.rule() != null) {
                met.put(verdict.rule().label(), verdict.counter());
            }
        }
        assertThat(met.keySet()).as("%s", entries).containsExactlyInAnyOrderElementsOf(expected.keySet());
        expected.forEach((label, meaning) -> {
            long counter = met.getOrDefault(label, 0L);
            assertThat(counters.computeIfAbsent(meaning, ignored -> counter))
                    .as("%s", entries)
                    .isEqualTo(counter);
            assertThat(meanings.computeIfAbsent(counter, ignored -> meaning))
                    .as("%s", entries)
                    .isEqualTo(meaning);
        });
    }
}

package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import org.junit.jupiter.api.Test;

class OverLimitTest {

    @Test
    void aRuleMayQueueOrDelayWhatIsOverItsLimit() {
        assertThat(rules("""
                        rules:
                          - { name: a, limit: { requests: 1, window: 1s }, over: { queue: { max_wait: 3s, max_waiting: 100 } } }
                          - { name: b, limit: { requests: 1, window: 1s }, over: { queue: {} } }
                          - { name: c, limit: { requests: 1, window: 1s } }
                        """))
                .extracting(Rule::queue)
                .containsExactly(new QueueBounds(3_000_000, 100), new QueueBounds(500_000, 64), null);
        assertThat(rules("""
                        rules:
                          - { name: a, limit: { requests: 1, window: 1s }, over: { tarpit: { delay: 2s } } }
                        """)).extracting(Rule::tarpitMicros).containsExactly(2_000_000L);
    }

    @Test
    void mistakesAreReportedAtTheirPosition() {
        assertThat(said("""
                        rules:
                          - { name: a, limit: { requests: 1, window: 1s }, over: queue }
                          - { name: b, limit: { requests: 1, window: 1s }, over: {} }
                          - { name: c, limit: { requests: 1, window: 1s }, over: { queue: { max_wait: 31s } } }
                          - { name: d, limit: { requests: 1, window: 1s }, over: { queue: { max_waiting: 0 } } }
                          - { name: e, limit: { requests: 1, window: 1s }, over: { que: {} } }
                          - { name: f, limit: { requests: 1, window: 1s }, over: { tarpit: { delay: 11s } } }
                          - { name: g, limit: { requests: 1, window: 1s }, over: { tarpit: {} } }
                          - { name: h, limit: { requests: 1, window: 1s, algorithm: leaky_bucket, burst: 5 }, over: { queue: { max_wait: 1s } } }
                          - { name: i, limit: { requests: 1, window: 1s }, over: { max_wait: 1s } }
                          - { name: j, limit: { requests: 1, window: 1s }, over: { queue: {}, tarpit: { delay: 1s } } }
                        """))
                .containsExactly(
                        "2:58: over: a text (expected: a mapping of names to values, like { queue: { max_wait: 500ms, max_waiting: 64 } })",
                        "3:58: over is empty (expected: queue or tarpit, like { queue: { max_wait: 500ms, max_waiting: 64 } })",
                        "4:79: max_wait: 31s (expected: up to 30s)",
                        "5:82: max_waiting: '0' (expected: a whole number from 1 to 10000)",
                        "6:60: unknown field 'que' (did you mean queue?)",
                        "7:77: delay: 11s (expected: 100ms to 10s)",
                        "8:68: delay is missing (expected: tarpit: { delay: 2s })",
                        "9:114: max_wait: 1s (expected: at least 5s, in which a full leaky_bucket drains; or a smaller burst)",
                        "10:60: unknown field 'max_wait' (it belongs in queue)",
                        "11:71: tarpit beside queue (remove one of them)");
    }
}

package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class BurstCreditTest {

    @Test
    void bucketsMayHaveACredit() {
        assertThat(rules("""
                        tiers: { pro: { requests: 10, window: 1s, burst_credit: 4 } }
                        rules:
                          - { name: a, limit: { requests: 5, window: 1s, burst: 10, burst_credit: 20 } }
                          - { name: b, limit: { requests: 5, window: 1s, algorithm: gcra, burst_credit: 1 } }
                          - { name: c, limit: { requests: 5, window: 1s, burst_credit: 0 } }
                          - { name: d, match: { tier: pro } }
                          - { name: e, limit: { requests: 5, window: 1s, burst_credit: 9 }, over: { queue: {} } }
                        """))
                .extracting(each -> Objects.requireNonNull(each.limit()).credit())
                .containsExactly(4L, 20L, 1L, 0L, 4L, 9L);
    }

    @Test
    void mistakesAreReportedAtTheirPosition() {
        assertThat(said("""
                        rules:
                          - { name: a, limit: { requests: 5, window: 1s, algorithm: fixed_window, burst_credit: 2 } }
                          - { name: b, limit: { requests: 5, window: 1s, algorithm: leaky_bucket, burst_credit: 2 } }
                          - { name: c, limit: { requests: 5, window: 1s, burst_credit: -1 } }
                          - { name: d, limit: { requests: 5, window: 1s, burst_credt: 2 } }
                          - { name: e, limit: { requests: 5, window: 1s, credit: 2 } }
                          - { name: f, limit: { requests: 5, window: 1s }, over: { burst_credit: 2 } }
                          - { name: g, limit: { requests: 5, window: 1s, burst_credit: 4294967295 } }
                          - { name: h, limit: { requests: 5, algorithm: concurrency, burst_credit: 2 } }
                          - { name: i, limit: { requests: 5, window: 1s, burst_credit: 9223372036854775807 } }
                        """))
                .containsExactly(
                        "2:75: burst_credit with fixed_window (expected: token_bucket or gcra, whose refill repays a debt; or no burst_credit)",
                        "3:75: burst_credit with leaky_bucket (expected: token_bucket or gcra, whose refill repays a debt; or no burst_credit)",
                        "4:64: burst_credit: '-1' (expected: a whole number >= 0)",
                        "5:50: unknown field 'burst_credt' (did you mean burst_credit?)",
                        "6:50: unknown field 'credit' (expected: requests, window, algorithm, burst, burst_credit, sub_windows, over, permit_ttl)",
                        "7:60: unknown field 'burst_credit' (it belongs in limit)",
                        "8:64: burst_credit: 4294967295 (expected: <= 4294967290, what a bucket can hold beside its burst)",
                        "9:62: burst_credit with concurrency (requests is the most that is in flight at once)",
                        "10:64: burst_credit: 9223372036854775807 (expected: <= 9223372036854775802)");
    }
}

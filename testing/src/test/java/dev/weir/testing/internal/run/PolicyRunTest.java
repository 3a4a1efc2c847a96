package dev.weir.testing.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.testing.internal.policy.PolicyFile;
import dev.weir.testing.internal.policy.PolicyFileReader;
import dev.weir.testing.internal.report.FailureText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Runs of policy tests that use every feature of one. */
class PolicyRunTest {

    @Test
    void limitsRefillOnVirtualTime() {
        passes("""
            key_by: user_id
            rules:
              - { name: hourly, limit: { requests: 100, window: 1h, algorithm: fixed_window } }
            tests:
              - name: a day of traffic
                steps:
                  - ask: { user_id: u1 }
                    times: 172800
                    every: 500ms
                    expect: { allowed: 2400, denied: 170400 }
                    rule: hourly
            """);
    }

    @Test
    void stepsThatOverlapAreSentInTheOrderOfTime() {
        passes("""
            rules:
              - { name: all, limit: { requests: 3, window: 1h } }
            tests:
              - name: the second step takes the second place
                steps:
                  - at: 0s
                    ask: { user_id: a }
                    times: 3
                    every: 2s
                    expect: { allowed: 2, denied: 1 }
                  - at: 1s
                    ask: { user_id: b }
                    remaining: 1
                    expect: allowed
            """);
    }

    @Test
    void quotasReplaceTiersAndLimits() {
        passes("""
            key_by: api_key
            tiers:
              free: { requests: 1, window: 1m }
              pro: { requests: 10, window: 1m }
            rules:
              - { name: exports, match: { endpoint: /exports }, limit: { requests: 2, window: 1m } }
            tests:
              - name: quotas
                quotas:
                  k1: { tier: pro }
                  k2: { tier: pro, overrides: [{ descriptor: exports, requests_per_unit: 5, unit: minute }] }
                steps:
                  - { ask: { api_key: k0, tier: free }, times: 3, expect: { allowed: 1, denied: 2 }, rule: "tier:free" }
                  - { ask: { api_key: k1, tier: free }, times: 12, expect: { allowed: 10, denied: 2 }, rule: "tier:pro" }
                  - { ask: { api_key: k2, endpoint: /exports }, times: 7, expect: { allowed: 5, denied: 2 }, rule: exports }
            """);
    }

    @Test
    void aRedisThatCannotBeReachedLeavesItToOnFail() {
        passes("""
            key_by: user_id
            rules:
              - { name: open, match: { endpoint: /open }, limit: { requests: 2, window: 1h } }
              - { name: closed, match: { endpoint: /closed }, limit: { requests: 2, window: 1h }, on_fail: deny }
              - name: own
                match: { endpoint: /own }
                limit: { requests: 10, window: 1h }
                on_fail: local
                local_share: 0.3
            tests:
              - name: unreachable from 5 s to 8 s
                steps:
                  - { ask: { user_id: u1, endpoint: /open }, times: 2, expect: { allowed: 2, degraded: 0 } }
                  - { at: 5s, redis: { unreachable: 3s } }
                  - { at: 6s, ask: { user_id: u2, endpoint: /open }, times: 9, expect: { allowed: 9, degraded: 9 }, waits: 10ms }
                  - { at: 6s, ask: { user_id: u2, endpoint: /closed }, expect: denied, status: 503 }
                  - { at: 7s, ask: { user_id: u2, endpoint: /own }, times: 9, expect: { allowed: 3, denied: 6 } }
                  - { at: 8100ms, ask: { user_id: u2, endpoint: /open }, times: 4, expect: { allowed: 2, denied: 2, degraded: 0 } }
            """);
    }

    @Test
    void leasesAndReportsWorkOnTheSimulatedRedis() {
        passes("""
            key_by: user_id
            rules:
              - { name: leased, match: { endpoint: /a }, limit: { requests: 1000, window: 1h, algorithm: fixed_window }, consistency: leased }
              - { name: reported, match: { endpoint: /b }, limit: { requests: 1000, window: 1h, algorithm: fixed_window }, consistency: reported }
            tests:
              - name: one server admits the limit
                store: redis
                steps:
                  - { ask: { user_id: u1, endpoint: /a }, times: 1100, every: 1ms, expect: { allowed: 1000, denied: 100 } }
                  - { ask: { user_id: u1, endpoint: /b }, times: 1100, every: 1ms, expect: { allowed: 1000, denied: 100 } }
            """);
    }

    @Test
    void limitsFollowLoad() {
        passes("""
            domain: api
            rules:
              - name: orders
                key_by: user_id
                limit: { requests: 100, window: 1m, algorithm: fixed_window }
                follows: { service: payments, at: { 0.8: 1.0, 0.9: 0.5 }, floor: 0.1 }
            tests:
              - name: half at 90 %, and back by a fortieth every ten seconds
                steps:
                  - { ask: { user_id: "u1" }, times: 101, expect: { allowed: 100, denied: 1 } }
                  - { at: 1m, load: { payments: 0.9 } }
                  - { at: 61s, ask: { user_id: u1 }, times: 100, expect: { allowed: 50, denied: 50 } }
                  - { at: 70s, load: { payments: 0.1 } }
                  - { at: 121s, ask: { user_id: u1 }, times: 100, expect: { allowed: 62, denied: 38 } }
            """);
    }

    @Test
    void bansHoldUntilTheyEnd() {
        passes("""
            rules:
              - { name: all, key_by: ip, limit: { requests: 100, window: 1m } }
            tests:
              - name: bans
                steps:
                  - ban: { caller: ip=10.0.0.0/8, for: 10s }
                  - ban: { caller: ip=10.0.0.1, kind: allow }
                  - { ask: { ip: 10.1.2.3 }, expect: denied, status: 403, headers: { Retry-After: ~, RateLimit: ~ } }
                  - { ask: { ip: 10.0.0.1 }, expect: allowed }
                  - { at: 10s, ask: { ip: 10.1.2.3 }, expect: allowed }
                  - { at: 20s, ban: { caller: ip=10.1.2.3, kind: shadow } }
                  - { at: 20s, ask: { ip: 10.1.2.3 }, times: 200, expect: allowed }
                  - { at: 21s, lift: ip=10.1.2.3 }
                  - { at: 21s, ask: { ip: 10.1.2.3 }, times: 200, expect: { allowed: 100, denied: 100 } }
            """);
    }

    @Test
    void rulesEscalateToBans() {
        passes("""
            rules:
              - name: login
                key_by: ip
                limit: { requests: 5, window: 1m }
                escalate: { after: 10, within: 1m, ban: 5m }
            tests:
              - name: the tenth denial bans
                steps:
                  - { ask: { ip: 10.1.2.3 }, times: 14, expect: { allowed: 5, denied: 9 }, status: 429 }
                  - { ask: { ip: 10.1.2.3 }, expect: denied, status: 429 }
                  - { at: 4m, ask: { ip: 10.1.2.3 }, expect: denied, status: 403 }
                  - { at: 5m, ask: { ip: 10.1.2.3 }, expect: allowed }
            """);
    }

    @Test
    void queuesLetRequestsWait() {
        passes("""
            rules:
              - name: exports
                limit: { requests: 50, window: 1s, burst: 1 }
                over: { queue: { max_wait: 510ms, max_waiting: 64 } }
            tests:
              - name: the third waits for two places
                steps:
                  - { ask: { user_id: u1 }, times: 3, expect: allowed, waits: 40ms }
                  - { at: 1s, ask: { user_id: u1 }, times: 40, expect: { allowed: 26, denied: 14 } }
            """);
    }

    @Test
    void callsThatLastHoldPermits() {
        passes("""
            rules:
              - name: exports
                key_by: user_id
                limit: { requests: 2, algorithm: concurrency, permit_ttl: 60s }
            tests:
              - name: two at a time
                steps:
                  - { ask: { user_id: u1 }, times: 4, every: 1s, lasts: 3s, expect: { allowed: 3, denied: 1 } }
                  - { at: 20s, ask: { user_id: u1 }, times: 9, expect: allowed }
            """);
    }

    @Test
    void descriptorsAreThoseOfEnvoy() {
        passes("""
            domain: edge
            descriptors:
              - key: user
                rate_limit: { unit: minute, requests_per_unit: 2 }
              - key: path
                rate_limit: { unit: minute, requests_per_unit: 5 }
            tests:
              - name: both descriptors count
                steps:
                  - { ask: [{ user: a }, { path: /x }], times: 3, expect: { allowed: 2, denied: 1 }, rule: user }
                  - { ask: [{ user: "u{n}" }, { path: /x }], times: 3, expect: { allowed: 2, denied: 1 }, rule: path }
            """);
    }

    @Test
    void aFailureNamesTheFirstRequestThatDiffers() {
        assertThat(failure("""
            key_by: user_id
            rules:
              - { name: writes, match: { endpoint: "POST /x" }, limit: { requests: 10, window: 1s, burst: 20 } }
              - { name: other, match: { endpoint: "POST /y" }, limit: { requests: 10, window: 1s } }
            tests:
              - name: thirty
                steps:
                  - ask: { user_id: u1, endpoint: "POST /x" }
                    times: 40
                    every: 10ms
                    expect: { allowed: 30, denied: 10 }
                    rule: other
                    retry_after: 20ms
                    headers: { RateLimit: '"writes";r=1;t=1' }
            """))
                .containsExactly(
                        "x.test.yaml:11:28: thirty",
                        "  step 1, at 0s: ask user_id=u1 endpoint=\"POST /x\", 40 times, every 10ms",
                        "  expected: allowed 30, denied 10",
                        "  happened: allowed 23, denied 17",
                        "  request 34 at 330ms, the first that was denied beyond 10:",
                        "    denied by writes (10 per 1s, burst 20, token_bucket) for user_id=u1: 0 left, passes again"
                                + " in 70ms",
                        "    other did not apply: endpoint is \"POST /x\" (expected: POST /y)",
                        "x.test.yaml:12:15: thirty",
                        "  step 1, at 0s: ask user_id=u1 endpoint=\"POST /x\", 40 times, every 10ms",
                        "  expected: denied by other",
                        "  happened: denied by writes",
                        "x.test.yaml:13:22: thirty",
                        "  step 1, at 0s: ask user_id=u1 endpoint=\"POST /x\", 40 times, every 10ms",
                        "  expected: retry_after 20ms",
                        "  happened: retry_after 10ms",
                        "x.test.yaml:14:20: thirty",
                        "  step 1, at 0s: ask user_id=u1 endpoint=\"POST /x\", 40 times, every 10ms",
                        "  expected: RateLimit: \"writes\";r=1;t=1",
                        "  happened: RateLimit: \"writes\";r=0;t=1");
    }

    @Test
    void coverageTellsWhichRulesWereMet() {
        PolicyFile file = read("""
            rules:
              - { name: all, limit: { requests: 1, window: 1m } }
              - { name: never, match: { endpoint: /never }, limit: { requests: 1, window: 1m } }
            tests:
              - name: a
                steps: [{ ask: { user_id: u }, times: 3, expect: { allowed: 1 } }]
            """);
        RuleCoverage coverage = Objects.requireNonNull(PolicySuite.run(file).coverage());
        assertThat(List.of(coverage.met(0), coverage.denied(0), coverage.met(1), coverage.denied(1)))
                .containsExactly(3L, 2L, 0L, 0L);
    }

    /** They take about a second on a quiet machine; the bound leaves room for a busy one. */
    @Test
    void aThousandTestsRunInSeconds() {
        StringBuilder text = new StringBuilder("""
            key_by: user_id
            rules:
              - { name: writes, match: { endpoint: "POST /x" }, limit: { requests: 10, window: 1s, burst: 20 } }
              - { name: hourly, limit: { requests: 100, window: 1h, algorithm: fixed_window } }
            tests:
            """);
        for (int i = 0; i < 1_000; i++) {
            text.append("  - name: caller ").append(i).append("""
                \n    steps:
                      - { ask: { user_id: u1, endpoint: "POST /x" }, times: 40, expect: { allowed: 20, denied: 20 }, rule: writes }
                      - { at: 1s, ask: { user_id: u1, endpoint: "GET /x" }, times: 90, every: 10ms, expect: { allowed: 80, denied: 10 } }
                """);
        }
        PolicyFile file = read(text.toString());
        assertThat(file.diagnostics()).isEmpty();
        long start = System.nanoTime();
        PolicySuite suite = PolicySuite.run(file);
        Duration taken = Duration.ofNanos(System.nanoTime() - start);
        assertThat(suite.results()).hasSize(1_000);
        assertThat(suite.failed()).isZero();
        assertThat(taken).isLessThan(Duration.ofSeconds(30));
    }

    private static void passes(String text) {
        PolicyFile file = read(text);
        assertThat(file.diagnostics()).isEmpty();
        assertThat(PolicySuite.run(file).results())
                .isNotEmpty()
                .allSatisfy(each -> assertThat(FailureText.of(each)).isEmpty());
    }

    private static List<String> failure(String text) {
        PolicyFile file = read(text);
        assertThat(file.diagnostics()).isEmpty();
        return FailureText.of(PolicySuite.run(file).results().get(0));
    }

    private static PolicyFile read(String text) {
        return PolicyFileReader.read(
                "x.test.yaml", text.getBytes(StandardCharsets.UTF_8), Path.of("x.test.yaml"), LoadOptions.DEFAULT);
    }
}

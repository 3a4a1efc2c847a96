package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.LoadCurve.Point;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServiceCapacityTest {

    @Test
    void theCapacityOfAServiceIsARule() {
        List<Rule> rules = rules("""
            consistency: leased
            services:
              payments:
                match: { endpoint: "/pay/*" }
                capacity: { requests: 5000, window: 1s, reserve: 0.25, shadow: true, consistency: exact }
              search:
                capacity: { requests: 100, window: 1s, follows: { at: { 0.9: 0.5 } } }
            priorities:
              - { match: { endpoint: "POST /pay/charge" }, is: critical }
              - { is: read }
            rules: []
            """);
        assertThat(rules).extracting(Rule::name).containsExactly("service:payments", "service:search");
        Rule payments = rules.get(0);
        assertThat(payments.limit()).isEqualTo(Limit.slidingWindow(5_000, Duration.ofSeconds(1)));
        assertThat(payments.reserve()).isEqualTo(250);
        assertThat(payments.denyAs()).isEqualTo(Cause.CAPACITY);
        assertThat(payments.shadow()).isTrue();
        assertThat(payments.consistency()).isEqualTo(Consistency.EXACT);
        Rule search = rules.get(1);
        assertThat(search.reserve()).isEqualTo(200);
        assertThat(search.consistency()).isEqualTo(Consistency.LEASED);
        assertThat(search.follows()).isEqualTo(new LoadCurve("search", List.of(new Point(900, 500)), 100));
    }

    @Test
    void aReportedCapacityIsReportedManyTimesInAWindow() {
        List<Rule> rules = rules("""
            consistency: reported
            services:
              a: { capacity: { requests: 100, window: 1s } }
              b: { capacity: { requests: 100, window: 2s } }
              c: { capacity: { requests: 100, window: 10s } }
              d: { capacity: { requests: 100, window: 1s, report_interval: 100ms } }
              e: { capacity: { requests: 100, window: 1s, consistency: leased } }
            rules:
              - { name: other, limit: { requests: 100, window: 1s } }
            """);
        assertThat(rules)
                .extracting(Rule::name, Rule::reportIntervalMicros)
                .containsExactlyInAnyOrder(
                        tuple("service:a", 40_000L),
                        tuple("service:b", 80_000L),
                        tuple("service:c", 200_000L),
                        tuple("service:d", 100_000L),
                        tuple("service:e", 200_000L),
                        tuple("other", 200_000L));
    }

    @Test
    void aSingleRuleMayHaveAReserve() {
        Rule rule = rules("""
            rules:
              - name: service:payments
                limit: { requests: 100, window: 1s, algorithm: sliding_window }
                reserve: 0.1
            """).get(0);
        assertThat(rule.isCapacity()).isTrue();
        assertThat(rule.denyAs()).isEqualTo(Cause.CAPACITY);
    }

    @Test
    void everyMistakeInACapacityIsReportedAtItsPosition() {
        assertThat(all("""
            services:
              a: { capacity: { requests: 0, window: 1m, reserve: 0.95, algorithm: gcra, deny_as: 429 } }
              b: { capacity: { request: 5, windwo: 1s, resreve: 0.1 } }
              c: { capacity: { requests: 5, window: 1m } }
              d: { capacity: 5 }
              e: { limit: { requests: 5 } }
              f: { requests: 5, window: 1s }
              g: { capacity: {} }
              h: { matsch: {}, capacity: { requests: 5, window: 1s } }
            rules: []
            """))
                .contains(
                        "2:30: requests: '0'",
                        "2:54: reserve: '0.95'",
                        "always counted by sliding_window",
                        "always denied as 503",
                        "unknown field 'request' (did you mean requests?)",
                        "unknown field 'windwo' (did you mean window?)",
                        "unknown field 'resreve' (did you mean reserve?)",
                        "expected: 100ms to 10s",
                        "capacity: a text",
                        "unknown field 'limit' (did you mean capacity?)",
                        "it belongs in capacity",
                        "requests is missing",
                        "unknown field 'matsch' (did you mean match?)");
    }

    @Test
    void everyMistakeInPrioritiesIsReported() {
        assertThat(all("""
            services: { a: { capacity: { requests: 5, window: 1s } } }
            priorities:
              - { match: { endpoint: "/a" }, is: urgent }
              - { match: { endpoint: "/a" } }
              - { mach: { endpoint: "/a" }, is: read }
              - { endpoint: "/a", priority: read }
              - { match: { priority: critical }, is: critical }
              - critical
            rules: []
            """))
                .contains(
                        "unknown is 'urgent'",
                        "is is missing",
                        "unknown field 'mach' (did you mean match?)",
                        "it belongs in match",
                        "did you mean is?",
                        "callers set it",
                        "priority: a text");
        assertThat(all("""
            prioritys: []
            rules: []
            """)).contains("did you mean priorities?");
    }

    @Test
    void anEntryThatNeverHoldsAndPrioritiesWithoutACapacityAreWarnedOf() {
        assertThat(all("""
            services: { a: { match: { x: y } } }
            priorities: [ { is: read }, { match: { x: y }, is: test } ]
            rules: [ { name: r, limit: { requests: 5, window: 1s } } ]
            """)).contains("match has no effect", "never holds", "priorities have no effect");
    }

    @Test
    void aReserveNeedsOneCounterThatSlides() {
        assertThat(all("""
            rules:
              - { name: a, key_by: ip, reserve: 0.1, limit: { requests: 5, window: 1s } }
              - name: b
                reserve: 0.1
                rollout: 5
                limit: { requests: 5, window: 1s, algorithm: sliding_window }
              - { name: c, reserve: 2, limit: { requests: 5, window: 1h, algorithm: sliding_window } }
            """))
                .contains(
                        "reserve on a rule with key_by",
                        "reserve with token_bucket",
                        "rollout beside reserve",
                        "reserve: '2' (expected: a share from 0 to 0.9, like 0.2)",
                        "window: 1h");
    }

    private static String all(String text) {
        return String.join("\n", said(text));
    }
}

package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A field that lacks a letter is an error that names the field that was meant. */
class MisspeltFieldTest {
    private static final String RULES = """
            domain: api
            services:
              payments:
                match: { endpoint: "POST /pay" }
                capacity: { requests: 5000, window: 1s, reserve: 0.2 }
                load: { prometheus: "http://127.0.0.1:9090", query: max(cpu) }
            priorities:
              - { match: { endpoint: "POST /pay" }, is: critical }
            costs: { "POST *": 5 }
            rules:
              - name: follower
                key_by: ip
                deny_as: 503
                escalate: { after: 5, within: 10m, ban: 10m, factor: 2, max: 24h, forget: 7d }
                follows: { service: payments, at: { 0.8: 1.0, 0.9: 0.5 }, floor: 0.1 }
                reputation: { 80: 0.5 }
                trust_cost: true
                limit: { requests: 20, window: 1s }
                over: { queue: { max_wait: 500ms, max_waiting: 64 } }
              - name: tokens
                counts: output_tokens
                limit: { requests: 20, window: 1s, burst_credit: 5 }
                over: { tarpit: { delay: 2s } }
              - name: calls
                limit: { requests: 20, algorithm: concurrency, permit_ttl: 60s }
            """;

    @Test
    void spelledRightThereIsNoMistake() {
        assertThat(said(RULES)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "services",
                "capacity",
                "reserve",
                "load",
                "prometheus",
                "query",
                "priorities",
                "costs",
                "deny_as",
                "escalate",
                "after",
                "within",
                "factor",
                "forget",
                "follows",
                "service",
                "floor",
                "reputation",
                "trust_cost",
                "counts",
                "over",
                "queue",
                "max_wait",
                "max_waiting",
                "burst_credit",
                "tarpit",
                "delay",
                "permit_ttl"
            })
    void aMissingLetterIsNoticed(String field) {
        String misspelt = field.substring(0, field.length() / 2) + field.substring(field.length() / 2 + 1);
        String rules = RULES.replaceFirst("\\b" + field + ":", misspelt + ":");
        assertThat(rules).isNotEqualTo(RULES);
        assertThat(said(rules))
                .anySatisfy(each ->
                        assertThat(each).contains("unknown field '" + misspelt + "' (did you mean " + field + "?)"));
    }
}

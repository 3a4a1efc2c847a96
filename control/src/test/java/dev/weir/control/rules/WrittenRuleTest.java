package dev.weir.control.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.data.Json;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.rules.internal.grammar.RuleWriter;
import dev.weir.rules.internal.grammar.SingleRule;
import dev.weir.rules.internal.grammar.StoreNames;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rule that is written as JSON and read again is the same rule. */
class WrittenRuleTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit: { requests: 10, window: 1s }",
                "limit: { requests: 0, window: 1500ms }",
                "limit: { requests: 10, window: 1d, burst: 30 }\ncost: 3\nshadow: true",
                "limit: { requests: 10, window: 90s, algorithm: sliding_window, sub_windows: 6 }\nrollout: 12.5",
                "limit: { requests: 10, window: calendar_month }\nkey_by: [user_id, api_key | ip]\nipv6_prefix: 48",
                "limit: { requests: 10, window: 1h, algorithm: leaky_bucket, burst: 20 }\nkey_pattern: \"u:{a}:{b}\"",
                "limit: { requests: 9, window: 1h, algorithm: sliding_window_log }\nmatch: { a: 5, b: [\"true\", x*] }",
                "rate: 5\nwindow: minute\nendpoint: [/a, /b/*]\nmethod: POST\nendpoint_case: ignore",
                "limit: { requests: 5, window: 1s }\nmatch: { endpoint: \"~^/v[0-9]+/\", ip: 10.0.0.0/8 }",
                "limit: { requests: 5, window: 1s }\nfollows: { service: s, at: { 0.8: 1, 0.9: 0.125 }, floor: 0.05 }",
                "limit: { requests: 5, window: 1s, algorithm: sliding_window }\nreserve: 0.25\nmatch: { endpoint: /a }",
                "limit: { requests: 5, window: 1s }\nconsistency: leased\nlease_interval: 50ms\non_fail: deny",
                "limit: { requests: 5, window: 1s }\nconsistency: reported\nreport_interval: 1s\nstore: other",
                "limit: { requests: 5, window: 1s }\non_fail: local\nlocal_share: 0.25\ndeadline: 7ms\nkey_by: a"
                        + "\non_missing: deny",
            })
    void aWrittenRuleIsReadAsTheSameRule(String text) {
        WeirRule rule = read(text);
        WeirRule again = read(text(rule));
        assertThat(text(again)).isEqualTo(text(rule));
        assertThat(again.rule())
                .usingRecursiveComparison()
                .ignoringFields("source")
                .isEqualTo(rule.rule());
        assertThat(again.keyBy()).isEqualTo(rule.keyBy());
        assertThat(again.ignoresCase()).isEqualTo(rule.ignoresCase());
        assertThat(RuleWriter.matchText(again)).isEqualTo(RuleWriter.matchText(rule));
    }

    private static String text(WeirRule rule) {
        return Json.text(out -> Json.write(out, RuleWriter.write(rule)));
    }

    private static WeirRule read(String text) {
        SingleRule read = SingleRule.read(
                "body", "r", text.getBytes(StandardCharsets.UTF_8), "api", StoreNames.ANY, EndpointForm.NORMAL);
        assertThat(read.errors()).isEmpty();
        return Objects.requireNonNull(read.rule());
    }
}

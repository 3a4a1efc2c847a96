package dev.weir.rules.internal.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.QueueBounds;
import dev.weir.text.diagnostics.Diagnostic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One rule on its own, as callers of the API write it. */
class SingleRuleTest {

    @Test
    void theFlatFormatMeansTheSameAsAFile() {
        WeirRule rule =
                rule("{\"key_pattern\":\"user:{user_id}\",\"algorithm\":\"token_bucket\",\"rate\":100,\"burst\":150,"
                        + "\"window\":\"1m\"}");
        assertThat(rule.rule().limit())
                .isEqualTo(Limit.tokenBucket(100, Duration.ofMinutes(1)).withBurst(150));
        assertThat(rule.keyBy()).isEqualTo(KeyBy.of("user_id"));
        assertThat(rule.rule().name()).isEqualTo("r");
        assertThat(rule.rule().domain()).isEqualTo("api");
        assertThat(rule.rule().source()).startsWith("body:");
    }

    @Test
    void endpointMethodKeyAndLimitAreWordsToo() {
        WeirRule rule = rule("{\"name\":\"r\",\"endpoint\":\"/api/v1/tweets\",\"method\":\"POST\",\"key\":\"user_id\","
                + "\"limit\":100,\"window\":\"1h\",\"algorithm\":\"sliding_window\"}");
        assertThat(rule.match()).containsExactly(Condition.of("endpoint", "POST /api/v1/tweets"));
        assertThat(rule.keyBy()).isEqualTo(KeyBy.of("user_id"));
        assertThat(rule.rule().limit()).isEqualTo(Limit.slidingWindow(100, Duration.ofHours(1)));
    }

    @Test
    void aMethodIsThatOfEachEndpointAndNullIsAsGoodAsAbsent() {
        WeirRule rule = rule("{\"endpoint\":[\"/a\",\"/b\"],\"method\":\"POST\",\"match\":null,\"name\":null,"
                + "\"rate\":1,\"window\":\"1s\"}");
        assertThat(rule.match()).containsExactly(Condition.of("endpoint", "POST /a", "POST /b"));
        WeirRule every = rule("{\"endpoint\":null,\"method\":\"POST\",\"rate\":1,\"window\":\"1s\"}");
        assertThat(every.match()).containsExactly(Condition.of("method", "POST"));
    }

    @Test
    void anItemOfAFileInYamlIsTakenAsItStands() {
        WeirRule rule = rule("""
                domain: shop
                match: { tier: free }
                key_by: [user_id, ip]
                limit: { requests: 5, window: 1s }
                shadow: true
                """);
        assertThat(rule.rule().domain()).isEqualTo("shop");
        assertThat(rule.rule().shadow()).isTrue();
        assertThat(rule.keyBy()).isEqualTo(KeyBy.of("user_id", "ip"));
    }

    @Test
    void aResponseMayBeSentBack() {
        SingleRule read =
                read("{\"rule_id\":\"r\",\"status\":\"active\",\"source\":\"database\",\"version\":3,\"rate\":1,"
                        + "\"window\":\"1s\",\"domain\":\"api\"}");
        assertThat(read.diagnostics()).isEmpty();
        assertThat(Objects.requireNonNull(read.body()).entries())
                .extracting(each -> each.key().text())
                .containsExactly("rate", "window");
    }

    @Test
    void whatARuleDoesOverItsLimitStandsBesideTheLimitAsInAFile() {
        assertThat(rule("{limit: {requests: 1, window: 1s}, over: {queue: {max_wait: 3s}}}")
                        .rule()
                        .queue())
                .isEqualTo(new QueueBounds(3_000_000, 64));
        assertThat(rule("{rate: 1, window: 1s, over: {tarpit: {delay: 2s}}}")
                        .rule()
                        .tarpitMicros())
                .isEqualTo(2_000_000);
    }

    @Test
    void aRuleThatIsNotEnabledIsReadAndIsNone() {
        SingleRule read = read("{\"enabled\":false,\"rate\":1,\"window\":\"1s\"}");
        assertThat(read.errors()).isEmpty();
        assertThat(read.rule()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{rate: 1} | body:1:1: window is missing (expected: requests and window)",
                "{window: 1s} | body:1:1: requests is missing (expected: requests and window)",
                "{key: ip} | body:1:1: limit is missing",
                "{rate: 1, window: 1s, name: x} | body:1:29: name: 'x' (expected: 'r', or nothing)",
                "{limit: {requests: 1, window: 1s}, burst: 2} | body:1:36: 'burst' beside limit (it belongs in limit)",
                "{rate: 1, window: 1s, method: GET, match: {}} | body:1:1: endpoint or method beside match",
                "{rate: 1, window: 1s, key: ip, key_by: x} | body:1:32: 'key_by' beside 'key' (both mean the same: remove one)",
                "{rate: 1, limit: 2, window: 1s} | body:1:11: 'limit' beside 'rate' (both mean the same: remove one)",
                "{rate: 1, window: 1s, unit: minute} | body:1:23: 'unit' beside 'window' (both mean the same: remove one)",
                "{rate: 1, window: 1s, endpoint: nowhere} | body:1:33: endpoint 'nowhere' can never match",
                "[] | body:1:1: the rule: a list (expected: an object of names and values)"
            })
    void mistakesAreSaidWhereTheyStand(String body, String error) {
        assertThat(read(body).errors()).extracting(Diagnostic::toString).anyMatch(each -> each.startsWith(error));
    }

    private static WeirRule rule(String body) {
        SingleRule read = read(body);
        assertThat(read.diagnostics()).isEmpty();
        return Objects.requireNonNull(read.rule());
    }

    private static SingleRule read(String body) {
        return SingleRule.read(
                "body", "r", body.getBytes(StandardCharsets.UTF_8), "api", StoreNames.ANY, EndpointForm.NORMAL);
    }
}

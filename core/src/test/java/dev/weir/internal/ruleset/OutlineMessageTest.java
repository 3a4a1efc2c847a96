package dev.weir.internal.ruleset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Limit;
import dev.weir.RuleSet;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A server tells its rules without the values that they match. */
class OutlineMessageTest {

    @Test
    void aServersRulesAreReadAsTheyWereWritten() {
        WrittenRules rules = (WrittenRules) RuleSet.builder("api")
                .rule("orders", Limit.tokenBucket(100, Duration.ofSeconds(1)))
                .match("endpoint", "POST /orders")
                .match("tenant", "secret-customer")
                .keyBy("user_id:api_key | ip")
                .rule("all ".repeat(100), Limit.fixedWindow(5, Duration.ofHours(1)))
                .domain("web")
                .build();

        byte[] message = OutlineMessage.write(rules);
        ServedRules read = OutlineMessage.read(message);

        assertThat(read.domains()).containsExactly("api", "web");
        assertThat(read.outlines()).isEqualTo(rules.outlines());
        assertThat(read.ruleNames("api")).isEqualTo(rules.ruleNames("api"));
        assertThat(read.ruleNames("web")).isEmpty();
        RuleOutline orders = Objects.requireNonNull(read.outline("api", "orders"));
        assertThat(orders.needed()).containsExactly("endpoint", "tenant", "user_id", "api_key", "ip");
        assertThat(orders.keyBy().parts()).containsExactly(List.of("user_id"), List.of("api_key", "ip"));
        assertThat(read.outline("web", "orders")).isNull();
        assertThat(new String(message, StandardCharsets.UTF_8)).doesNotContain("secret-customer");
    }

    @Test
    void anythingElseIsRefused() {
        byte[] message = OutlineMessage.write(WrittenRules.empty());
        assertThat(OutlineMessage.read(message).domains()).isEmpty();
        assertThatThrownBy(() -> OutlineMessage.read(new byte[0])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutlineMessage.read(Arrays.copyOf(message, 2)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutlineMessage.read(new byte[] {10, -1, -1, -1, -1, -1, 1}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutlineMessage.read(new byte[] {8, 1})).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutlineMessage.read(new byte[] {10, 1, '7'}))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

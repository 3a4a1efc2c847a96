package dev.weir.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.rules.Rules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The examples of docs/testing-rules.md, word for word. */
class TestingExamplesTest {
    @TestFactory
    Stream<DynamicNode> rules() {
        return PolicyTests.in(Path.of("src/test/rules"));
    }

    @RegisterExtension
    static final WeirExtension LIMITS = WeirExtension.with(Rules.file(Path.of("src/test/rules/login.yaml")));

    @Test
    void theSixthLoginWaitsForAMinute(Weir weir, TestClock clock) {
        Request login = Request.to("api").with("ip", "192.0.2.7").with("endpoint", "POST /login");
        for (int i = 0; i < 5; i++) {
            assertThat(weir.decide(login).allowed()).isTrue();
        }
        assertThat(weir.decide(login).allowed()).isFalse();
        clock.advance(Duration.ofMinutes(1));
        assertThat(weir.decide(login).allowed()).isTrue();
    }

    /** A second test, which would be denied if the first had left its counters. */
    @Test
    void eachTestHasCountersOfItsOwn(Weir weir) {
        Request login = Request.to("api").with("ip", "192.0.2.7").with("endpoint", "POST /login");
        assertThat(weir.decide(login).allowed()).isTrue();
    }
}

package dev.weir;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestTest {

    @Test
    @SuppressWarnings("NullAway")
    void whatIsMissingIsNamedByWhoeverIsToldFirst() {
        Request request = Request.to("api");
        assertThatThrownBy(() -> Request.to(null)).hasMessage("domain: null (expected: text)");
        assertThatThrownBy(() -> request.clear(null)).hasMessage("domain: null (expected: text)");
        assertThatThrownBy(() -> request.domain(null)).hasMessage("domain: null (expected: text)");
        assertThatThrownBy(() -> request.with(null, "u_42")).hasMessage("key: null (expected: text)");
        assertThatThrownBy(() -> request.with("user_id", null)).hasMessage("user_id: null (expected: text)");
    }

    @Test
    void whatBelongsToADescriptorNeedsOne() {
        Request request = Request.to("api");
        assertThatThrownBy(() -> request.descriptorHits(2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no descriptor yet (expected: descriptor() or with(key, value) before)");
        assertThatThrownBy(() -> request.override(Limit.fixedWindow(7, Duration.ofHours(1))))
                .isInstanceOf(IllegalStateException.class);
    }
}

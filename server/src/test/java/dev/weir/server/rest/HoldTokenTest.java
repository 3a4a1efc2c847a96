package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Request;
import dev.weir.internal.model.HeldHits;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.runtime.FleetSecret;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldTokenTest {
    private static final FleetSecret SECRET = new FleetSecret(List.of("0123456789abcdef0123456789abcdef"));

    @Test
    void aHoldIsReadAsItWasWritten() {
        Request request = Request.to("llm").with("user", "ü").asAttributes();
        HeldRequest hold = new HeldRequest(1, 2, 3, true, 4, request, List.of(new HeldHits("r", 0, 5, 6, 7)));
        HeldRequest read = HoldToken.read(HoldToken.of(hold, SECRET, 8), SECRET);
        assertThat(read.request()).hasToString(request.toString());
        assertThat(read).usingRecursiveComparison().ignoringFields("request").isEqualTo(hold);
    }

    @Test
    void aHoldOfAnotherVersionOrKindIsNamed() {
        assertThatThrownBy(() ->
                        HoldToken.read(SECRET.sign("hold", "", 8, "h2 AAAA").replace(' ', '.'), SECRET))
                .hasMessageContaining("hold: of version \"h2\" (expected: h1");
        assertThatThrownBy(() ->
                        HoldToken.read(SECRET.sign("permit", "", 8, "h1 AAAA").replace(' ', '.'), SECRET))
                .hasMessageContaining("hold: its signature is wrong");
    }
}

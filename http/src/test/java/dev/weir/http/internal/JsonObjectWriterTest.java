package dev.weir.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonObjectWriterTest {

    @Test
    void writesEveryKindOfField() {
        JsonObjectWriter json = new JsonObjectWriter();
        json.writeStringField("type", "about:blank");
        json.writeNumberField("status", -429);
        json.writeBooleanField("allowed", false);
        json.writeArrayField("none", List.of());
        json.writeArrayField("violated-policies", List.of("a", "b"));
        assertThat(new String(json.end(), StandardCharsets.UTF_8))
                .isEqualTo("{\"type\":\"about:blank\",\"status\":-429,\"allowed\":false,\"none\":[],"
                        + "\"violated-policies\":[\"a\",\"b\"]}");
    }

    @Test
    void namesOfCallersCannotEndAString() {
        JsonObjectWriter json = new JsonObjectWriter();
        json.writeStringField("counter", "a\"b\\c\r\n\u0000\u001f é \uD83D\uDE00 \u2028 \uD800");
        assertThat(new String(json.end(), StandardCharsets.UTF_8))
                .isEqualTo("{\"counter\":\"a\\\"b\\\\c\\u000d\\u000a\\u0000\\u001f é \uD83D\uDE00 \u2028 ?\"}");
    }
}

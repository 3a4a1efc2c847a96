package dev.weir.http.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes one flat JSON object as text (RFC 8259). An integration must not depend on the application's JSON library. */
final class JsonObjectWriter {
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder text = new StringBuilder(512).append('{');

    void writeStringField(String name, String value) {
        name(name);
        string(value);
    }

    void writeNumberField(String name, long value) {
        name(name);
        text.append(value);
    }

    void writeBooleanField(String name, boolean value) {
        name(name);
        text.append(value);
    }

    void writeArrayField(String name, List<String> values) {
        name(name);
        text.append('[');
        for (int i = 0; i < values.size(); i++) {
            if (i > 0) {
                text.append(',');
            }
            string(values.get(i));
        }
        text.append(']');
    }

    /** Ends the object, and returns it in UTF-8. A lone surrogate becomes a question mark. */
    byte[] end() {
        return text.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private void name(String name) {
        if (text.length() > 1) {
            text.append(',');
        }
        string(name);
        text.append(':');
    }

    private void string(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < 0x20) {
                text.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}

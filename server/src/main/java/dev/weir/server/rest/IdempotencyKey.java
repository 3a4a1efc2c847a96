package dev.weir.server.rest;

import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import io.vertx.core.MultiMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the key of a retried request: {@code Idempotency-Key} as in its draft, a structured field's string, or bare as
 * most clients send it; {@code X-Idempotency-Key} means the same.
 */
final class IdempotencyKey {
    private static final int MAX_LENGTH = 255;
    private static final String EXPECTED =
            "1 to " + MAX_LENGTH + " visible ASCII characters, bare or as a quoted string of a structured field";

    private IdempotencyKey() {}

    /** The key in {@code header}, or if that is null in one of the usual headers; null if there is no key. */
    static @Nullable String in(MultiMap headers, @Nullable String header) {
        if (header != null) {
            return of(headers, header);
        }
        String key = of(headers, "Idempotency-Key");
        String other = of(headers, "X-Idempotency-Key");
        if (key != null && other != null && !key.equals(other)) {
            throw HttpProblemException.badRequest("X-Idempotency-Key: " + CallerText.shown(other)
                    + " (expected: the same as Idempotency-Key, or only one)");
        }
        return key == null ? other : key;
    }

    private static @Nullable String of(MultiMap headers, String name) {
        List<String> values = headers.getAll(name);
        if (values.isEmpty()) {
            return null;
        }
        if (values.size() > 1) {
            throw HttpProblemException.badRequest(name + ": given " + values.size() + " times (expected: once)");
        }
        String value = values.get(0).strip();
        // Every character may be escaped, and there may be two quotes.
        if (value.length() > 2 * MAX_LENGTH + 2) {
            throw invalid(name, value);
        }
        String key = value.startsWith("\"") ? unquoted(name, value) : bare(name, value);
        if (key.isEmpty() || key.length() > MAX_LENGTH) {
            throw invalid(name, value);
        }
        return key;
    }

    private static String bare(String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= 0x20 || c >= 0x7F || c == '"' || c == '\\' || c == ',' || c == ';') {
                throw invalid(name, value);
            }
        }
        return value;
    }

    private static String unquoted(String name, String value) {
        StringBuilder key = new StringBuilder();
        for (int i = 1; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"') {
                if (i != value.length() - 1) {
                    throw invalid(name, value);
                }
                return key.toString();
            }
            if (c == '\\' && i + 1 < value.length()) {
                c = value.charAt(++i);
                if (c != '"' && c != '\\') {
                    throw invalid(name, value);
                }
            }
            // A space may be the rest of a folded header, whose line break is lost, so the key is ambiguous.
            if (c <= 0x20 || c >= 0x7F) {
                throw invalid(name, value);
            }
            key.append(c);
        }
        throw invalid(name, value);
    }

    private static HttpProblemException invalid(String name, String value) {
        return HttpProblemException.badRequest(name + ": " + CallerText.shown(value) + " (expected: " + EXPECTED + ")");
    }
}

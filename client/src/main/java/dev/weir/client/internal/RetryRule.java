package dev.weir.client.internal;

import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/** Which calls may be sent again, and the key that lets a server recognise one that it has seen. */
public final class RetryRule {
    public static final String KEY = "Idempotency-Key";
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    private RetryRule() {}

    /** Whether a call with {@code method} has the same effect if it is made twice. */
    public static boolean isIdempotent(String method) {
        return IDEMPOTENT.contains(method.toUpperCase(Locale.ROOT));
    }

    /** A new key, as a structured field's string. */
    public static String newKey() {
        return '"' + UUID.randomUUID().toString() + '"';
    }
}

package dev.weir.server.rest;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.server.problem.VerdictNumbers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Builds the headers of a decision. {@code RateLimit-Policy} lists the rules that apply; {@code RateLimit} and
 * {@code X-RateLimit-*} describe the binding one. The first two are structured fields (RFC 9651).
 */
final class RateLimitFields {
    /**
     * The most policies in the header: a request with a thousand descriptors must not produce a header that clients
     * refuse.
     */
    private static final int MAX_POLICIES = 16;
    /** The largest integer of a structured field. */
    private static final long MAX = 999_999_999_999_999L;

    private final RestSettings settings;

    RateLimitFields(RestSettings settings) {
        this.settings = settings;
    }

    /** The names and values of the headers in turn; empty if no rule with a limit applies. */
    List<String> of(MutableDecision decision) {
        VerdictNumbers numbers = VerdictNumbers.binding(decision);
        if (numbers == null) {
            return degraded(decision);
        }
        List<String> fields = new ArrayList<>(16);
        add(fields, "RateLimit-Policy", policies(decision, numbers));
        long t = settings.draft() == 10 ? numbers.resetSeconds() : numbers.effectiveWindowSeconds();
        String until = numbers.isConcurrency() ? "" : ";t=" + clamp(t); // nobody knows when a call in flight ends
        add(fields, "RateLimit", string(numbers.name()) + ";r=" + clamp(numbers.remaining()) + until);
        add(fields, "X-RateLimit-Limit", Long.toString(numbers.quota()));
        add(fields, "X-RateLimit-Remaining", Long.toString(numbers.remaining()));
        add(fields, "X-RateLimit-Reset", Long.toString(numbers.resetAt()));
        String bucket = decision.counterBucket();
        if (bucket != null) {
            add(fields, "X-RateLimit-Bucket", bucket);
        }
        fields.addAll(degraded(decision));
        return fields;
    }

    /** The header of a degraded decision, which was made without a store. */
    static List<String> degraded(MutableDecision decision) {
        return decision.degraded() ? List.of("X-RateLimit-Degraded", "true") : List.of();
    }

    private static String policies(MutableDecision decision, VerdictNumbers binding) {
        StringBuilder list = new StringBuilder();
        Set<String> named = new HashSet<>();
        policy(list, named, binding);
        for (int i = 0; i < decision.size() && named.size() < MAX_POLICIES; i++) {
            MutableVerdict verdict = decision.verdict(i);
            VerdictNumbers numbers = verdict.shadow() ? null : VerdictNumbers.of(verdict, decision);
            if (numbers != null) {
                policy(list, named, numbers);
            }
        }
        return list.toString();
    }

    private static void policy(StringBuilder list, Set<String> named, VerdictNumbers numbers) {
        String unit = numbers.unit();
        if (named.add(numbers.name())) {
            list.append(list.isEmpty() ? "" : ", ")
                    .append(string(numbers.name()))
                    .append(";q=")
                    .append(clamp(numbers.quota()));
            if (numbers.isConcurrency()) {
                list.append(";qu=\"concurrent-requests\"");
            } else {
                list.append(unit == null ? "" : ";qu=" + string(unit))
                        .append(";w=")
                        .append(clamp(numbers.windowSeconds()));
            }
        }
    }

    /**
     * Encodes a structured field's string. It can contain only printable ASCII; other bytes are encoded as
     * {@code %C3%A9}, so that no name from a file or a caller ends the header.
     */
    static String string(String text) {
        StringBuilder field = new StringBuilder(text.length() + 2).append('"');
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b == '"' || b == '\\') {
                field.append('\\').append((char) b);
            } else if (b >= 0x20 && b < 0x7F) {
                field.append((char) b);
            } else {
                field.append('%').append(String.format("%02X", b & 0xFF));
            }
        }
        return field.append('"').toString();
    }

    private static long clamp(long number) {
        return Math.max(0, Math.min(MAX, number));
    }

    private static void add(List<String> fields, String name, String value) {
        fields.add(name);
        fields.add(value);
    }
}

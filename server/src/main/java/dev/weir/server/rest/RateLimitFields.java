package dev.weir.server.rest;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The headers of a decision. {@code RateLimit-Policy} lists the rules that were met, {@code RateLimit} and the
 * {@code X-RateLimit-*} speak of the binding one. The first two are structured fields (RFC 9651).
 */
final class RateLimitFields {
    /** A request of a thousand descriptors must not become a header that no client takes. */
    private static final int POLICIES = 16;
    /** The largest integer of a structured field. */
    private static final long MAX = 999_999_999_999_999L;

    private final RestSettings settings;

    RateLimitFields(RestSettings settings) {
        this.settings = settings;
    }

    /** Names and values in turn; none where no limit was met. */
    List<String> of(MutableDecision decision) {
        VerdictNumbers told = VerdictNumbers.binding(decision);
        if (told == null) {
            return degraded(decision);
        }
        List<String> fields = new ArrayList<>(16);
        add(fields, "RateLimit-Policy", policies(decision, told));
        long t = settings.draft() == 10 ? told.resetSeconds() : told.effectiveWindowSeconds();
        add(fields, "RateLimit", string(told.name()) + ";r=" + clamp(told.remaining()) + ";t=" + clamp(t));
        add(fields, "X-RateLimit-Limit", Long.toString(told.quota()));
        add(fields, "X-RateLimit-Remaining", Long.toString(told.remaining()));
        add(fields, "X-RateLimit-Reset", Long.toString(told.resetAt()));
        String bucket = decision.counterBucket();
        if (bucket != null) {
            add(fields, "X-RateLimit-Bucket", bucket);
        }
        fields.addAll(degraded(decision));
        return fields;
    }

    /** The mark of a decision that a store had no part in. */
    static List<String> degraded(MutableDecision decision) {
        return decision.degraded() ? List.of("X-RateLimit-Degraded", "true") : List.of();
    }

    /** Seconds that a caller turned away is asked to wait, with jitter on top. */
    String retryAfter(VerdictNumbers told) {
        long jitter = settings.retryJitter().toSeconds();
        return Long.toString(
                told.retryAfterSeconds() + ThreadLocalRandom.current().nextLong(jitter + 1));
    }

    private static String policies(MutableDecision decision, VerdictNumbers binding) {
        StringBuilder list = new StringBuilder();
        Set<String> named = new HashSet<>();
        policy(list, named, binding);
        for (int i = 0; i < decision.size() && named.size() < POLICIES; i++) {
            MutableVerdict verdict = decision.verdict(i);
            VerdictNumbers told = verdict.shadow() ? null : VerdictNumbers.of(verdict, decision);
            if (told != null) {
                policy(list, named, told);
            }
        }
        return list.toString();
    }

    private static void policy(StringBuilder list, Set<String> named, VerdictNumbers told) {
        if (named.add(told.name())) {
            list.append(list.isEmpty() ? "" : ", ")
                    .append(string(told.name()))
                    .append(";q=")
                    .append(clamp(told.quota()))
                    .append(";w=")
                    .append(clamp(told.windowSeconds()));
        }
    }

    /**
     * A structured field's string. It can hold printable ASCII only; the bytes of anything else are told as {@code %C3%A9}, so
     * that no name from a file or a caller ends the header.
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

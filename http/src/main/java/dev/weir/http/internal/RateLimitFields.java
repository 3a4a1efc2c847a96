package dev.weir.http.internal;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Builds the headers of a decision. {@code RateLimit-Policy} lists the rules that apply; {@code RateLimit} and
 * {@code X-RateLimit-*} describe the binding one. The first two are structured fields (RFC 9651).
 */
public final class RateLimitFields {
    /**
     * The most policies in the header: a request with a thousand descriptors must not produce a header that clients
     * refuse.
     */
    private static final int MAX_POLICIES = 16;
    /**
     * The milliseconds until a window of a few seconds ends: {@code t} has whole seconds, and a client that paces itself
     * cannot tell by it how much of the window is over.
     */
    private static final String MILLIS = "weir-ms";

    /** The largest integer of a structured field. */
    private static final long MAX = 999_999_999_999_999L;

    private final int draft;
    private final PolicyTexts texts = new PolicyTexts();

    /** Writes the fields as revision {@code draft} has them: in 11 {@code t} is the effective window, in 10 the reset. */
    public RateLimitFields(int draft) {
        this.draft = draft;
    }

    /** The names and values of the headers in turn; empty if no rule with a limit applies. */
    public List<String> of(MutableDecision decision) {
        VerdictNumbers numbers = VerdictNumbers.binding(decision);
        if (numbers == null) {
            return degraded(decision);
        }
        List<String> fields = new ArrayList<>(16);
        PolicyTexts.Text text = texts.of(numbers);
        add(fields, "RateLimit-Policy", policies(decision, numbers, text));
        long t = draft == 10 ? numbers.resetSeconds() : numbers.effectiveWindowSeconds();
        String until = numbers.isConcurrency() ? "" : ";t=" + clamp(t); // nobody knows when a call in flight ends
        if (numbers.isShortWindow()) {
            until += ";" + MILLIS + "=" + clamp(numbers.resetMillis());
        }
        add(fields, "RateLimit", text.name() + ";r=" + clamp(numbers.remaining()) + until);
        add(fields, "X-RateLimit-Limit", Long.toString(numbers.quota()));
        add(fields, "X-RateLimit-Remaining", Long.toString(numbers.remaining()));
        if (numbers.debt() > 0) {
            add(fields, "X-RateLimit-Debt", Long.toString(numbers.debt()));
        }
        add(fields, "X-RateLimit-Reset", Long.toString(numbers.resetAt()));
        String bucket = decision.counterBucket();
        if (bucket != null) {
            add(fields, "X-RateLimit-Bucket", bucket);
        }
        fields.addAll(degraded(decision));
        return fields;
    }

    /** The header of a degraded decision, which was made without a store. */
    public static List<String> degraded(MutableDecision decision) {
        return decision.degraded() ? List.of("X-RateLimit-Degraded", "true") : List.of();
    }

    /** The policy of the binding verdict, and those of the others, each name once. */
    private String policies(MutableDecision decision, VerdictNumbers binding, PolicyTexts.Text first) {
        if (decision.size() == 1) {
            return first.policy();
        }
        StringBuilder list = new StringBuilder(64 * Math.min(MAX_POLICIES, decision.size())).append(first.policy());
        List<String> named = new ArrayList<>(Math.min(MAX_POLICIES, decision.size()));
        named.add(first.name());
        for (int i = 0; i < decision.size() && named.size() < MAX_POLICIES; i++) {
            MutableVerdict verdict = decision.verdict(i);
            VerdictNumbers numbers =
                    verdict.shadow() || verdict == binding.verdict() ? null : VerdictNumbers.of(verdict, decision);
            if (numbers != null) {
                PolicyTexts.Text text = texts.of(numbers);
                if (!named.contains(text.name())) {
                    named.add(text.name());
                    list.append(", ").append(text.policy());
                }
            }
        }
        return list.toString();
    }

    /** Encodes a structured field's list of strings, at most as many as there are policies in a header. */
    public static String list(List<String> texts) {
        return texts.stream().limit(MAX_POLICIES).map(RateLimitFields::string).collect(Collectors.joining(", "));
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

    static long clamp(long number) {
        return Math.max(0, Math.min(MAX, number));
    }

    private static void add(List<String> fields, String name, String value) {
        fields.add(name);
        fields.add(value);
    }
}

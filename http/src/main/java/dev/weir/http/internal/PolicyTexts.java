package dev.weir.http.internal;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The texts of rules in {@code RateLimit-Policy}, which are the same for every request. A few hundred are kept; threads may
 * overwrite each other's.
 */
final class PolicyTexts {
    private static final int KEPT = 256;
    /** The limit over all regions, of which a policy is the part of one region. */
    private static final String WHOLE = "weir-whole";

    private final @Nullable Text[] texts = new Text[KEPT];

    /**
     * A rule in the headers.
     *
     * @param name the name, as a string of a structured field
     * @param policy the item of {@code RateLimit-Policy}
     */
    record Text(@Nullable Rule rule, Limit limit, String name, String policy) {}

    Text of(VerdictNumbers numbers) {
        Rule rule = numbers.verdict().rule();
        Limit limit = numbers.limit();
        if (rule == null || limit.calendar() != null) {
            return written(rule, limit, numbers); // a month has 28 to 31 days
        }
        int hash = System.identityHashCode(rule);
        int place = (hash ^ hash >>> 8 ^ hash >>> 16) & KEPT - 1;
        Text text = texts[place];
        if (text == null || text.rule != rule || !text.limit.equals(limit)) {
            text = written(rule, limit, numbers);
            texts[place] = text;
        }
        return text;
    }

    private static Text written(@Nullable Rule rule, Limit limit, VerdictNumbers numbers) {
        String name = RateLimitFields.string(numbers.name());
        StringBuilder policy = new StringBuilder(name).append(";q=").append(RateLimitFields.clamp(numbers.quota()));
        if (numbers.isConcurrency()) {
            policy.append(";qu=\"concurrent-requests\"");
        } else {
            String unit = numbers.unit();
            policy.append(unit == null ? "" : ";qu=" + RateLimitFields.string(unit))
                    .append(";w=")
                    .append(RateLimitFields.clamp(numbers.windowSeconds()));
            if (numbers.burst() > 0) {
                policy.append(";burst=").append(RateLimitFields.clamp(numbers.burst()));
            }
        }
        Limit whole = rule == null ? null : rule.wholeOf(limit);
        if (whole != null) {
            policy.append(";").append(WHOLE).append("=").append(RateLimitFields.clamp(whole.requests()));
        }
        return new Text(rule, limit, name, policy.toString());
    }
}

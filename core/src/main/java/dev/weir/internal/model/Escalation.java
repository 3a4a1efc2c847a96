package dev.weir.internal.model;

import java.util.List;

/**
 * When a rule bans a caller that it denies again and again, and for how long.
 *
 * @param after how many denials
 * @param withinMicros within which time
 * @param banMicros how long the first ban lasts
 * @param factor how many times as long each further ban lasts
 * @param maxMicros the longest ban
 * @param forgetMicros how long a ban counts towards the next one
 * @param attributes the attribute that the ban is by: the first of these that a request has
 * @param ipv6Prefix how many bits of an IPv6 address the ban covers
 */
public record Escalation(
        int after,
        long withinMicros,
        long banMicros,
        long factor,
        long maxMicros,
        long forgetMicros,
        List<String> attributes,
        int ipv6Prefix) {
    private static final int JITTER = 10;

    public Escalation {
        attributes = List.copyOf(attributes);
    }

    /**
     * How long a ban lasts, microseconds.
     *
     * @param number 1 for the first ban, 2 for the second
     * @param random a number from 0 to 1, which shortens the ban by up to a tenth, so that callers that were banned
     *     together do not all return together
     */
    public long duration(long number, double random) {
        long micros = banMicros;
        for (long i = 1; i < number && micros < maxMicros && factor > 1; i++) {
            micros = micros > maxMicros / factor ? maxMicros : micros * factor;
        }
        long capped = Math.min(micros, maxMicros);
        long tenth = capped / JITTER;
        return capped - (long) (random * tenth);
    }
}

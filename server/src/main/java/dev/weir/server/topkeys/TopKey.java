package dev.weir.server.topkeys;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of the heaviest callers of a rule.
 *
 * @param count requests in the window, estimated; of the nearest 1 if it was seen once, and 2 if more often
 * @param deniedSince since when it has been denied without a pause, milliseconds since the epoch; 0 if it is not
 * @param used of the nearest: the hits of its limit that it has used
 * @param limit of the nearest: its limit
 */
public record TopKey(String domain, String rule, NamedKey name, double count, long deniedSince, long used, long limit) {

    /** The values of the counter, for people. */
    public String text() {
        return name.text();
    }

    /** An id of the counter that is the same in every process. */
    public String bucket() {
        return name.bucket();
    }

    /** The values by their names; null if they are too long. */
    public @Nullable Map<String, String> attributes() {
        return name.attributes();
    }

    /** The share of the limit that is used. */
    public double utilisation() {
        return limit == 0 ? 0 : used / (double) limit;
    }

    /** Of the nearest: this, or what another node saw of the same counter, whichever is nearer to the limit. */
    public TopKey nearer(TopKey other) {
        TopKey nearer = other.utilisation() > utilisation() ? other : this;
        return new TopKey(domain, rule, name, Math.max(count, other.count), deniedSince, nearer.used, nearer.limit);
    }

    /** Adds what another node counted for the same counter. */
    public TopKey plus(TopKey other) {
        long since = deniedSince == 0 || other.deniedSince == 0
                ? Math.max(deniedSince, other.deniedSince)
                : Math.min(deniedSince, other.deniedSince);
        return new TopKey(domain, rule, name, count + other.count, since, used, limit);
    }
}

package dev.weir.internal.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry that bans, shadow bans, watches or exempts the requests with one value of an attribute.
 *
 * @param attribute the attribute of a request, such as {@code ip} or {@code user_id}
 * @param value its value; for an address also a block, {@code 10.0.0.0/8}
 * @param domain the domain in which it holds; empty for all
 * @param untilMicros when it expires, microseconds since the epoch; {@link #FOREVER} if it does not
 * @param reason why, for people; empty if nobody said
 * @param by who made it: an operator, a rule that escalated, or a list
 * @param automatic whether a rule made it, by {@code escalate}
 */
public record Ban(
        BanKind kind,
        String attribute,
        String value,
        String domain,
        long untilMicros,
        String reason,
        String by,
        boolean automatic) {
    /** The expiry of an entry that does not expire. */
    public static final long FOREVER = Long.MAX_VALUE;

    /** Whether the entry holds at {@code nowMicros}. */
    public boolean holdsAt(long nowMicros) {
        return nowMicros < untilMicros;
    }

    /** When it expires, to the second and rounded up; null if it does not. */
    public @Nullable Instant until() {
        return untilMicros == FOREVER ? null : Instant.ofEpochSecond(Math.floorDiv(untilMicros + 999_999, 1_000_000L));
    }

    /** The caller that the entry names: {@code ip=10.0.0.0/8}. */
    public String subject() {
        return attribute + "=" + value;
    }

    /** The entry as a sentence for operators: what, until when, by whom and why. */
    public String sentence() {
        String what = switch (kind) {
            case ALLOW -> "exempt from bans";
            case BAN -> "banned";
            case SHADOW -> "shadow banned";
            case WATCH -> "would be banned (only watched)";
        };
        Instant until = until();
        return subject() + " is " + what + (domain.isEmpty() ? "" : " in " + domain)
                + (until == null ? "" : " until " + until) + " by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
}

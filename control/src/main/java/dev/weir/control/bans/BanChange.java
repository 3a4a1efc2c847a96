package dev.weir.control.bans;

import dev.weir.control.audit.Author;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The last change of one entry: it was made, or removed.
 *
 * <p><b>Ordering.</b> As with switches, the newest change by its stamp holds. A stamp is the time in milliseconds at the
 * node that accepted the change, and later than the stamp of the change before. So a node may learn of changes in any
 * order, several times and by any route.
 *
 * @param kind null if the entry was removed
 * @param untilMicros when the entry expires, microseconds since the epoch
 * @param replacedMillis when the entry that this change replaced would have expired, milliseconds since the epoch; 0 if
 *     it replaced none
 * @param author who, from where and why
 */
public record BanChange(
        BanName name, @Nullable BanKind kind, long untilMicros, long replacedMillis, long stamp, Author author) {
    /** How long a removal, or an earlier end, is remembered, so that no node that was away brings the entry back. */
    private static final long REMEMBERED_MILLIS = Duration.ofDays(30).toMillis();

    /** Whether this change replaces {@code other}; every node gives the same answer. */
    public boolean isAfter(@Nullable BanChange other) {
        if (other == null || stamp != other.stamp) {
            return other == null || stamp > other.stamp;
        }
        return BanJson.text(this).compareTo(BanJson.text(other)) > 0;
    }

    /** The time of the change. */
    public Instant at() {
        return Instant.ofEpochMilli(stamp);
    }

    /** The change that follows {@code last} at {@code now}, in milliseconds since the epoch. */
    static BanChange after(
            @Nullable BanChange last, BanName name, @Nullable BanKind kind, long untilMicros, long now, Author author) {
        if (last == null) {
            return new BanChange(name, kind, untilMicros, 0, now, author);
        }
        long replaced = Math.max(last.endsMillis(), last.replacedMillis);
        return new BanChange(name, kind, untilMicros, replaced, Math.max(now, last.stamp + 1), author);
    }

    /** When the entry ends, in milliseconds since the epoch; 0 if it was removed. */
    long endsMillis() {
        if (kind == null) {
            return 0;
        }
        return untilMicros == Ban.FOREVER ? Long.MAX_VALUE : untilMicros / 1_000 + 1;
    }

    /**
     * When the change can be forgotten, in milliseconds since the epoch. A node that was away may still hold the entry
     * that was replaced, so a shorter one is remembered after its own end.
     */
    long forgottenMillis() {
        long remembered = stamp + REMEMBERED_MILLIS;
        return kind == null ? remembered : Math.max(endsMillis(), Math.min(replacedMillis, remembered));
    }

    /** Whether the entry holds at {@code millis}. */
    boolean holdsAt(long millis) {
        return millis < endsMillis();
    }

    /** The entry; only if it was not removed. */
    public Ban ban() {
        return new Ban(
                Objects.requireNonNull(kind),
                name.attribute(),
                name.value(),
                name.domain(),
                untilMicros,
                author.reason(),
                author.name(),
                name.automatic());
    }

    /** The entry as JSON for the audit log; null if it was removed. */
    @Nullable
    String after() {
        return kind == null ? null : BanJson.text(this);
    }
}

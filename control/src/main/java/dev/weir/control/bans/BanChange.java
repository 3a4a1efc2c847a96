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
 * @param author who, from where and why
 */
public record BanChange(BanName name, @Nullable BanKind kind, long untilMicros, long stamp, Author author) {
    /** How long a removal is remembered, so that no node that was away brings the entry back. */
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

    /** When the change can be forgotten, in milliseconds since the epoch. */
    long endsMillis() {
        if (kind == null) {
            return stamp + REMEMBERED_MILLIS;
        }
        return untilMicros == Ban.FOREVER ? Long.MAX_VALUE : untilMicros / 1_000 + 1;
    }

    /** Whether the entry holds at {@code millis}. */
    boolean holdsAt(long millis) {
        return kind != null && millis < endsMillis();
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

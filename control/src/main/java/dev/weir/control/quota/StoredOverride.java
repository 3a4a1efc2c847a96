package dev.weir.control.quota;

import dev.weir.match.QuotaOverride;
import dev.weir.rules.grammar.Unit;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A limit agreed for one descriptor.
 *
 * @param burst null where it follows the requests
 * @param effectiveAt null: as soon as the quota is
 * @param expiresAt null: as long as the quota
 */
public record StoredOverride(
        String descriptor,
        long requestsPerUnit,
        Unit unit,
        @Nullable Long burst,
        @Nullable Instant effectiveAt,
        @Nullable Instant expiresAt) {

    /** As the decision path takes it. */
    public QuotaOverride compiled() {
        return new QuotaOverride(descriptor, requestsPerUnit, unit.micros(), burst);
    }

    boolean holdsAt(Instant now) {
        return Span.holds(effectiveAt, expiresAt, now);
    }
}

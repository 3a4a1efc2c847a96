package dev.weir.control.quota;

import dev.weir.internal.match.override.LimitOverride;
import dev.weir.rules.internal.quota.OverrideUnit;
import dev.weir.rules.internal.quota.WrittenOverride;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A limit that a caller has on one descriptor in place of the rule's limit.
 *
 * @param burst null: follows the requests
 * @param effectiveAt null: when the quota begins
 * @param expiresAt null: when the quota ends
 */
public record StoredOverride(
        String descriptor,
        long requestsPerUnit,
        OverrideUnit unit,
        @Nullable Long burst,
        @Nullable Instant effectiveAt,
        @Nullable Instant expiresAt) {

    /** Returns the override as the decision path uses it. */
    public LimitOverride compiled() {
        return new WrittenOverride(descriptor, requestsPerUnit, unit, burst).compiled();
    }

    boolean holdsAt(Instant now) {
        return EffectivePeriod.holds(effectiveAt, expiresAt, now);
    }
}

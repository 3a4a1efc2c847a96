package dev.weir.control.quota;

import dev.weir.internal.match.override.LimitOverride;
import dev.weir.rules.internal.grammar.EnvoyUnit;
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
        EnvoyUnit unit,
        @Nullable Long burst,
        @Nullable Instant effectiveAt,
        @Nullable Instant expiresAt) {

    /** As the decision path takes it. */
    public LimitOverride compiled() {
        return new LimitOverride(descriptor, requestsPerUnit, unit.micros(), burst);
    }

    boolean holdsAt(Instant now) {
        return EffectivePeriod.holds(effectiveAt, expiresAt, now);
    }
}

package dev.weir.control.quota;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.data.Json;
import dev.weir.control.data.StoredVersion;
import dev.weir.internal.match.override.CallerOverrides;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A caller's quota as stored in the database.
 *
 * @param tier null if the caller's requests name their own tier
 */
public record StoredQuota(
        String apiKey,
        @Nullable String tier,
        List<StoredOverride> overrides,
        @Nullable Instant effectiveAt,
        @Nullable Instant expiresAt,
        StoredVersion stored) {

    public StoredQuota {
        overrides = List.copyOf(overrides);
    }

    /** Returns this quota as written by the change {@code stored}. */
    public StoredQuota withVersion(StoredVersion stored) {
        return new StoredQuota(apiKey, tier, overrides, effectiveAt, expiresAt, stored);
    }

    /** Returns the parts that are effective at {@code now}; null if the quota is not. */
    public @Nullable CallerOverrides at(Instant now) {
        if (!EffectivePeriod.holds(effectiveAt, expiresAt, now)) {
            return null;
        }
        return new CallerOverrides(
                tier,
                overrides.stream()
                        .filter(each -> each.holdsAt(now))
                        .map(StoredOverride::compiled)
                        .toList());
    }

    /** Returns the next time after {@code now} at which a part begins or ends; null if there is none. */
    public @Nullable Instant nextChange(Instant now) {
        Instant next = EffectivePeriod.sooner(null, effectiveAt, now);
        next = EffectivePeriod.sooner(next, expiresAt, now);
        for (StoredOverride each : overrides) {
            next = EffectivePeriod.sooner(next, each.effectiveAt(), now);
            next = EffectivePeriod.sooner(next, each.expiresAt(), now);
        }
        return next;
    }

    /** Returns the whole quota as one JSON object, for the audit log. */
    public String json() {
        return Json.text(json -> {
            json.writeStartObject();
            json.writeStringField("api_key", apiKey);
            writeTerms(json);
            json.writeEndObject();
        });
    }

    /** Writes the fields of the quota in the format of the API. */
    public void writeTerms(JsonGenerator json) throws IOException {
        json.writeStringField("tier", tier);
        writeOverrides(json);
        json.writeStringField("effective_at", effectiveAt == null ? null : effectiveAt.toString());
        json.writeStringField("expires_at", expiresAt == null ? null : expiresAt.toString());
    }

    /** Writes the member {@code overrides}. */
    public void writeOverrides(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("overrides");
        for (StoredOverride each : overrides) {
            json.writeStartObject();
            json.writeStringField("descriptor", each.descriptor());
            json.writeNumberField("requests_per_unit", each.requestsPerUnit());
            json.writeStringField("unit", each.unit().text());
            if (each.burst() != null) {
                json.writeNumberField("burst", each.burst());
            }
            if (each.effectiveAt() != null) {
                json.writeStringField("effective_at", each.effectiveAt().toString());
            }
            if (each.expiresAt() != null) {
                json.writeStringField("expires_at", each.expiresAt().toString());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}

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
 * What was agreed with one caller, as it stands in the database.
 *
 * @param tier null where the caller's requests name their own
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

    /** This quota as it was written by the change that {@code stored} tells of. */
    public StoredQuota as(StoredVersion stored) {
        return new StoredQuota(apiKey, tier, overrides, effectiveAt, expiresAt, stored);
    }

    /** What of it holds at {@code now}; null if nothing does. */
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

    /** When after {@code now} something of it begins or ends; null if never. */
    public @Nullable Instant nextChange(Instant now) {
        Instant next = EffectivePeriod.sooner(null, effectiveAt, now);
        next = EffectivePeriod.sooner(next, expiresAt, now);
        for (StoredOverride each : overrides) {
            next = EffectivePeriod.sooner(next, each.effectiveAt(), now);
            next = EffectivePeriod.sooner(next, each.expiresAt(), now);
        }
        return next;
    }

    /** All of it as one JSON object, for the audit. */
    public String json() {
        return Json.text(json -> {
            json.writeStartObject();
            json.writeStringField("api_key", apiKey);
            writeTerms(json);
            json.writeEndObject();
        });
    }

    /** Writes what was agreed, as the API takes it. */
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
            json.writeStringField("unit", each.unit().spelling());
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

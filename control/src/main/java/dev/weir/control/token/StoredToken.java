package dev.weir.control.token;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.data.Json;
import dev.weir.control.data.StoredVersion;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token as it is kept: by its hash, never by its secret.
 *
 * @param name what the audit calls whoever uses it; no two are called the same
 * @param previous the secret before, which still opens until it is over; null where there is none
 * @param expiresAt when it opens nothing any more, or null
 * @param usedAt when it was last used, to the minute, or null
 */
public record StoredToken(
        String id,
        String name,
        Role role,
        String hash,
        @Nullable Previous previous,
        Instant createdAt,
        String createdBy,
        @Nullable Instant expiresAt,
        @Nullable Instant usedAt,
        StoredVersion stored) {

    /** A secret that was replaced. */
    public record Previous(String hash, Instant until) {}

    /** Whether {@code presented} is the hash of its secret, or of the one before while that is still good. */
    boolean opens(String presented, Instant now) {
        boolean current = TokenText.same(hash, presented);
        boolean old = previous != null && TokenText.same(previous.hash(), presented) && now.isBefore(previous.until());
        return current || old;
    }

    /** This token, last used then. */
    public StoredToken usedAt(Instant time) {
        return new StoredToken(id, name, role, hash, previous, createdAt, createdBy, expiresAt, time, stored);
    }

    /** Whether it opens nothing any more. */
    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** For people and for the audit: without a hash. */
    public String json() {
        return Json.text(json -> {
            json.writeStartObject();
            write(json);
            json.writeEndObject();
        });
    }

    /** Writes what may be shown into the object that is open. */
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("token_id", id);
        json.writeStringField("name", name);
        json.writeStringField("role", role.spelling());
        json.writeStringField("created_at", createdAt.toString());
        json.writeStringField("created_by", createdBy);
        time(json, "expires_at", expiresAt);
        time(json, "previous_until", previous == null ? null : previous.until());
    }

    private static void time(JsonGenerator json, String name, @Nullable Instant time) throws IOException {
        json.writeStringField(name, time == null ? null : time.toString());
    }
}

package dev.weir.control.token;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.data.Json;
import dev.weir.control.data.StoredVersion;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored token. It holds a hash of the secret, never the secret.
 *
 * @param name the holder's name in the audit log; unique
 * @param previous the replaced secret, which is still accepted for a while; null if there is none
 * @param expiresAt the time from which the token is refused; null if it does not expire
 * @param usedAt the time of its last use, to the minute; null if it was never used
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

    /** A replaced secret, which is accepted until {@code until}. */
    public record Previous(String hash, Instant until) {}

    /**
     * Returns whether {@code presented} is the hash of the secret, or of the previous secret while that is still
     * accepted.
     */
    boolean accepts(String presented, Instant now) {
        boolean current = TokenText.same(hash, presented);
        boolean old = previous != null && TokenText.same(previous.hash(), presented) && now.isBefore(previous.until());
        return current || old;
    }

    /** Returns this token with another time of last use. */
    public StoredToken usedAt(Instant time) {
        return new StoredToken(id, name, role, hash, previous, createdAt, createdBy, expiresAt, time, stored);
    }

    /** Returns whether the token has expired. */
    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** Returns the token as JSON for people and for the audit log, without a hash. */
    public String json() {
        return Json.text(json -> {
            json.writeStartObject();
            write(json);
            json.writeEndObject();
        });
    }

    /** Writes the fields that may be shown into the current object. */
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("token_id", id);
        json.writeStringField("name", name);
        json.writeStringField("role", role.text());
        json.writeStringField("created_at", createdAt.toString());
        json.writeStringField("created_by", createdBy);
        time(json, "expires_at", expiresAt);
        time(json, "previous_until", previous == null ? null : previous.until());
    }

    private static void time(JsonGenerator json, String name, @Nullable Instant time) throws IOException {
        json.writeStringField(name, time == null ? null : time.toString());
    }
}

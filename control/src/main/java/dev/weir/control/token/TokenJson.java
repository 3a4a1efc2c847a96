package dev.weir.control.token;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.data.StoredVersion;
import java.io.IOException;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads tokens in the copy of the database, with their hashes, so that they are accepted after a restart
 * during an outage.
 */
public final class TokenJson {
    private TokenJson() {}

    public static void write(JsonGenerator json, StoredToken token) throws IOException {
        StoredToken.Previous previous = token.previous();
        json.writeStringField("id", token.id());
        json.writeStringField("name", token.name());
        json.writeStringField("role", token.role().text());
        json.writeStringField("sha256", token.hash());
        json.writeStringField("previous_sha256", previous == null ? null : previous.hash());
        json.writeStringField("previous_until", text(previous == null ? null : previous.until()));
        json.writeStringField("created_at", text(token.createdAt()));
        json.writeStringField("created_by", token.createdBy());
        json.writeStringField("expires_at", text(token.expiresAt()));
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    public static StoredToken read(Function<String, @Nullable String> members, StoredVersion stored)
            throws IOException {
        Role role = Role.called(required(members, "role"));
        if (role == null) {
            throw new IOException("a token with an unknown role");
        }
        String previous = members.apply("previous_sha256");
        return new StoredToken(
                required(members, "id"),
                required(members, "name"),
                role,
                required(members, "sha256"),
                previous == null
                        ? null
                        : new StoredToken.Previous(previous, Instant.parse(required(members, "previous_until"))),
                Instant.parse(required(members, "created_at")),
                required(members, "created_by"),
                time(members.apply("expires_at")),
                null,
                stored);
    }

    private static @Nullable Instant time(@Nullable String text) {
        return text == null ? null : Instant.parse(text);
    }

    private static String required(Function<String, @Nullable String> members, String name) throws IOException {
        String text = members.apply(name);
        if (text == null) {
            throw new IOException("a token lacks " + name);
        }
        return text;
    }
}

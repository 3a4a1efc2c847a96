package dev.weir.control.audit;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.data.Json;
import dev.weir.internal.runtime.Sha256;
import java.io.IOException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One change. Its hash is the SHA-256 of {@code text}, which ends with the hash of the line before. In a file, the line
 * is the text with the hash as its last member.
 *
 * @param text a JSON object without its hash
 */
public record AuditLine(long version, String text, String hash) {
    /** The previous hash of the first line. */
    public static final String START = "0".repeat(64);

    /** The text may contain any character, also those that end a line for some readers. */
    private static final Pattern WRITTEN =
            Pattern.compile("(\\{\"version\":([0-9]{1,18}),.*),\"hash\":\"([0-9a-f]{64})\"}", Pattern.DOTALL);

    private static final Pattern PREVIOUS = Pattern.compile("\"previous\":\"([0-9a-f]{64})\"}$");

    /**
     * Creates the line of a change.
     *
     * @param before the record before, as JSON, or null
     * @param after the record after, as JSON, or null
     */
    public static AuditLine of(
            long version,
            Instant at,
            Author author,
            String kind,
            String subject,
            @Nullable String before,
            @Nullable String after,
            String previous) {
        String text = Json.text(json -> {
            json.writeStartObject();
            json.writeNumberField("version", version);
            json.writeStringField("at", at.toString());
            json.writeStringField("who", author.name());
            json.writeStringField("from", author.from());
            json.writeStringField("reason", author.reason());
            json.writeStringField("kind", kind);
            json.writeStringField("subject", subject);
            json.writeStringField("change", before == null ? "create" : after == null ? "delete" : "update");
            raw(json, "before", before);
            raw(json, "after", after);
            json.writeStringField("previous", previous);
            json.writeEndObject();
        });
        return new AuditLine(version, text, hash(text));
    }

    private static void raw(JsonGenerator json, String name, @Nullable String value) throws IOException {
        json.writeFieldName(name);
        json.writeRawValue(value == null ? "null" : value);
    }

    /** Parses a line of a file; null if it is not an audit line. */
    public static @Nullable AuditLine parse(String written) {
        Matcher matcher = WRITTEN.matcher(written);
        return matcher.matches()
                ? new AuditLine(Long.parseLong(matcher.group(2)), matcher.group(1) + "}", matcher.group(3))
                : null;
    }

    /** Returns the line as written to a file. */
    public String written() {
        return text.substring(0, text.length() - 1) + ",\"hash\":\"" + hash + "\"}";
    }

    /** Returns the hash of the line before; empty if there is none. */
    String previous() {
        Matcher matcher = PREVIOUS.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** Returns whether the text matches its hash. */
    boolean isIntact() {
        return hash(text).equals(hash);
    }

    private static String hash(String text) {
        return Sha256.hex(text);
    }
}

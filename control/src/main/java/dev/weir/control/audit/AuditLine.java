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
 * One change. Its hash is SHA-256 of {@code text}, which ends with the hash of the line before; in a file, the line is the
 * text with the hash as the last member.
 *
 * @param text a JSON object without its hash
 */
public record AuditLine(long version, String text, String hash) {
    /** What the first line follows. */
    public static final String START = "0".repeat(64);

    /** Any character may stand in it, those too that end a line for some. */
    private static final Pattern WRITTEN =
            Pattern.compile("(\\{\"version\":([0-9]{1,18}),.*),\"hash\":\"([0-9a-f]{64})\"}", Pattern.DOTALL);

    private static final Pattern PREVIOUS = Pattern.compile("\"previous\":\"([0-9a-f]{64})\"}$");

    /**
     * The line of a change.
     *
     * @param before what was there, as JSON, or null
     * @param after what is there now, as JSON, or null
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

    /** The line as it stands in a file, or null if it is none. */
    static @Nullable AuditLine parse(String written) {
        Matcher matcher = WRITTEN.matcher(written);
        return matcher.matches()
                ? new AuditLine(Long.parseLong(matcher.group(2)), matcher.group(1) + "}", matcher.group(3))
                : null;
    }

    /** As one line of a file. */
    public String written() {
        return text.substring(0, text.length() - 1) + ",\"hash\":\"" + hash + "\"}";
    }

    /** The hash of the line before, or empty if it tells none. */
    String previous() {
        Matcher matcher = PREVIOUS.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** Whether it is as it was written. */
    boolean isWhole() {
        return hash(text).equals(hash);
    }

    private static String hash(String text) {
        return Sha256.hex(text);
    }
}

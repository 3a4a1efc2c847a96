package dev.weir.control.bans;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.data.Json;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes changes of entries as JSON objects on one line, and reads them. */
public final class BanJson {
    private BanJson() {}

    /** Writes {@code change} with its author. */
    public static String text(BanChange change) {
        return Json.text(json -> write(json, change));
    }

    private static void write(JsonGenerator json, BanChange change) throws IOException {
        json.writeStartObject();
        json.writeStringField("attribute", change.name().attribute());
        json.writeStringField("value", change.name().value());
        json.writeStringField("domain", change.name().domain());
        json.writeBooleanField("automatic", change.name().automatic());
        BanKind kind = change.kind();
        json.writeStringField("kind", kind == null ? null : kind.text());
        if (change.untilMicros() != Ban.FOREVER) {
            json.writeNumberField("until", change.untilMicros());
        }
        if (change.replacedMillis() != 0) {
            json.writeNumberField("replaced", change.replacedMillis());
        }
        json.writeNumberField("stamp", change.stamp());
        json.writeStringField("who", change.author().name());
        json.writeStringField("from", change.author().from());
        json.writeStringField("reason", change.author().reason());
        json.writeEndObject();
    }

    /**
     * Reads a change.
     *
     * @throws IOException if {@code text} is not one
     */
    public static BanChange read(String text) throws IOException {
        YamlNode root = YamlReader.read(text.getBytes(StandardCharsets.UTF_8), new DiagnosticCollector("ban"));
        if (root instanceof Mapping object) {
            return read(object);
        }
        throw new IOException("not a JSON object");
    }

    private static BanChange read(Mapping object) throws IOException {
        try {
            BanName name = BanName.of(
                    text(object, "domain"),
                    text(object, "attribute"),
                    text(object, "value"),
                    text(object, "automatic").equals("true"));
            String kind = textOrNull(object, "kind");
            String until = textOrNull(object, "until");
            String replaced = textOrNull(object, "replaced");
            return new BanChange(
                    name,
                    kind == null ? null : BanKind.valueOf(kind.toUpperCase(Locale.ROOT)),
                    until == null ? Ban.FOREVER : Long.parseLong(until),
                    replaced == null ? 0 : Long.parseLong(replaced),
                    Long.parseLong(text(object, "stamp")),
                    new Author(text(object, "who"), text(object, "from"), text(object, "reason")));
        } catch (IllegalArgumentException | ChangeRefusedException e) {
            throw new IOException("not a ban: " + e.getMessage(), e);
        }
    }

    private static String text(Mapping object, String name) throws IOException {
        String text = textOrNull(object, name);
        if (text == null) {
            throw new IOException("a ban lacks " + name);
        }
        return text;
    }

    private static @Nullable String textOrNull(Mapping object, String name) {
        YamlNode.Entry entry = object.entry(name);
        return entry != null && entry.value() instanceof Scalar scalar && !scalar.isNull() ? scalar.text() : null;
    }
}

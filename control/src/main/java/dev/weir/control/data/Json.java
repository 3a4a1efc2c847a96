package dev.weir.control.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.text.yaml.YamlNode;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;

/** Writes JSON text on one line, also from a YAML tree. The text can always be read as YAML again. */
public final class Json {
    private static final JsonFactory FACTORY =
            new JsonFactoryBuilder().characterEscapes(new YamlSafeEscapes()).build();
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,17})?");

    /** Writes into a generator in memory, which does not fail. */
    @FunctionalInterface
    public interface Writing {
        void to(JsonGenerator json) throws IOException;
    }

    private Json() {}

    public static String text(Writing writing) {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            writing.to(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString();
    }

    /** Writes {@code node}; unquoted numbers and flags become JSON numbers and booleans. */
    public static void write(JsonGenerator json, YamlNode node) throws IOException {
        if (node instanceof YamlNode.Mapping mapping) {
            json.writeStartObject();
            members(json, mapping);
            json.writeEndObject();
        } else if (node instanceof YamlNode.Sequence list) {
            json.writeStartArray();
            for (YamlNode each : list.items()) {
                write(json, each);
            }
            json.writeEndArray();
        } else if (node instanceof YamlNode.Scalar scalar) {
            write(json, scalar);
        }
    }

    /** Writes the members of {@code mapping} into the current object. */
    public static void members(JsonGenerator json, YamlNode.Mapping mapping) throws IOException {
        for (YamlNode.Entry each : mapping.entries()) {
            json.writeFieldName(each.key().text());
            write(json, each.value());
        }
    }

    private static void write(JsonGenerator json, YamlNode.Scalar scalar) throws IOException {
        String text = scalar.text();
        if (scalar.isNull()) {
            json.writeNull();
        } else if (scalar.plain() && (text.equals("true") || text.equals("false"))) {
            json.writeBoolean(text.equals("true"));
        } else if (scalar.plain() && NUMBER.matcher(text).matches()) {
            json.writeNumber(text);
        } else {
            json.writeString(text);
        }
    }
}

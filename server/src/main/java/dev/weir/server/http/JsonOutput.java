package dev.weir.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes JSON into memory. */
public final class JsonOutput {
    /** Writes to a generator. Memory does not fail, so neither does this. */
    @FunctionalInterface
    public interface Writing {
        void to(JsonGenerator json) throws IOException;
    }

    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonOutput() {}

    public static byte[] bytes(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            writing.to(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Writes text, numbers, booleans, null, lists and maps; whole numbers without a fraction. */
    public static void value(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Number number) {
            double real = number.doubleValue();
            if (real == Math.rint(real) && Math.abs(real) < 1e15) {
                json.writeNumber((long) real);
            } else {
                json.writeNumber(real);
            }
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object each : list) {
                value(json, each);
            }
            json.writeEndArray();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> each : map.entrySet()) {
                json.writeFieldName(String.valueOf(each.getKey()));
                value(json, each.getValue());
            }
            json.writeEndObject();
        } else {
            json.writeString(value.toString());
        }
    }
}

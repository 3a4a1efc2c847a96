package dev.weir.control.source;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.control.data.Json;
import dev.weir.control.data.PrivateFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the last rules of a source that were in force, in a file of the data folder. A server that restarts while
 * the source is unreachable starts with it. The first line names the source; each further line is a JSON object with
 * one document.
 */
final class SourceCopy {
    private static final JsonFactory JSON = new JsonFactory();

    private final String label;
    private final Path folder;
    private final Path file;

    SourceCopy(Path folder, String label) {
        String readable = label.replaceAll("[^A-Za-z0-9]+", "-");
        String name =
                readable.substring(0, Math.min(80, readable.length())) + "-" + Integer.toHexString(label.hashCode());
        this.label = label;
        this.folder = folder;
        this.file = folder.resolve("rules-" + name + ".jsonl");
    }

    /** The contents of the copy: the bytes of the documents by name. */
    record Contents(Map<String, byte[]> documents, String version, Instant at) {}

    void save(SourceSnapshot documents) throws IOException {
        StringBuilder lines = new StringBuilder(Json.text(json -> {
            json.writeStartObject();
            json.writeStringField("source", label);
            json.writeStringField("version", documents.version());
            json.writeStringField("kept_at", Instant.now().toString());
            json.writeEndObject();
        }));
        lines.append('\n');
        documents
                .documents()
                .forEach(each -> lines.append(Json.text(json -> {
                            json.writeStartObject();
                            json.writeStringField("name", each.name());
                            json.writeStringField("text", new String(each.bytes(), StandardCharsets.UTF_8));
                            json.writeEndObject();
                        }))
                        .append('\n'));
        PrivateFile.makeFolder(folder);
        PrivateFile.replace(file, out -> out.append(lines));
    }

    /** Reads the copy; null if there is none of this source. */
    @Nullable
    Contents load() throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            Map<String, String> header = object(lines.readLine());
            if (!text(header, "source").equals(label)) {
                return null;
            }
            Map<String, byte[]> documents = new LinkedHashMap<>();
            for (String each = lines.readLine(); each != null; each = lines.readLine()) {
                Map<String, String> document = object(each);
                documents.put(text(document, "name"), text(document, "text").getBytes(StandardCharsets.UTF_8));
            }
            return new Contents(documents, text(header, "version"), Instant.parse(text(header, "kept_at")));
        }
    }

    /** Parses the string members of the JSON object in a line. */
    private Map<String, String> object(@Nullable String line) throws IOException {
        Map<String, String> members = new HashMap<>();
        try (JsonParser json = JSON.createParser(line == null ? "" : line)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                members.put(json.currentName(), json.nextTextValue());
            }
            return members;
        } catch (JsonParseException e) {
            throw new IOException(file + ": damaged: " + e.getOriginalMessage(), e);
        }
    }

    private String text(Map<String, String> object, String name) throws IOException {
        String text = object.get(name);
        if (text == null) {
            throw new IOException(file + ": damaged: a line lacks " + name);
        }
        return text;
    }
}

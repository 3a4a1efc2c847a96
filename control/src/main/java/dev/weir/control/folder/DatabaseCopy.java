package dev.weir.control.folder;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.data.Json;
import dev.weir.control.data.PrivateFile;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.quota.QuotaBody;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchJson;
import dev.weir.control.token.StoredToken;
import dev.weir.control.token.TokenJson;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the shared database as this node last saw it, in a file of the data folder. A server that restarts while
 * the database is unreachable starts with it. The file has one JSON object per line: a header, then one rule, quota,
 * token or switch each.
 */
public final class DatabaseCopy {
    public static final String NAME = "last-good.jsonl";
    /** The header. It tells a copy of an empty database from a file that lost its contents. */
    private static final String HEADER = "{\"format\":1}";

    private final Path file;

    public DatabaseCopy(Path folder) {
        this.file = folder.resolve(NAME);
    }

    /** The contents of the copy. */
    public record Contents(
            List<StoredRule> rules,
            List<StoredQuota> quotas,
            List<StoredToken> tokens,
            List<SwitchChange> switches,
            Instant at) {}

    public void save(
            Collection<StoredRule> rules,
            Collection<StoredQuota> quotas,
            Collection<StoredToken> tokens,
            Collection<SwitchChange> switches)
            throws IOException {
        PrivateFile.replace(file, out -> {
            out.write(HEADER + "\n");
            for (StoredRule each : rules) {
                line(out, each.stored(), json -> {
                    json.writeStringField("rule_id", each.id());
                    json.writeStringField("domain", each.domain());
                    json.writeFieldName("rule");
                    json.writeRawValue(each.body());
                });
            }
            for (StoredQuota each : quotas) {
                line(out, each.stored(), json -> {
                    json.writeStringField("api_key", each.apiKey());
                    json.writeObjectFieldStart("quota");
                    each.writeTerms(json);
                    json.writeEndObject();
                });
            }
            for (StoredToken each : tokens) {
                line(out, each.stored(), json -> {
                    json.writeObjectFieldStart("token");
                    TokenJson.write(json, each);
                    json.writeEndObject();
                });
            }
            for (SwitchChange each : switches) {
                StoredVersion stored =
                        new StoredVersion(each.stamp(), each.at(), each.author().name());
                line(out, stored, json -> {
                    json.writeFieldName("switch");
                    json.writeRawValue(each.text());
                });
            }
        });
    }

    private static void line(Writer out, StoredVersion stored, Json.Writing members) throws IOException {
        out.write(Json.text(json -> {
            json.writeStartObject();
            members.to(json);
            writeStored(json, stored);
            json.writeEndObject();
        }));
        out.write('\n');
    }

    private static void writeStored(JsonGenerator json, StoredVersion stored) throws IOException {
        json.writeNumberField("version", stored.version());
        json.writeStringField("updated_at", stored.at().toString());
        json.writeStringField("updated_by", stored.by());
    }

    /** Reads the copy; null if there is none. */
    @Nullable
    public Contents load() throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        Contents contents = new Contents(
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                Files.getLastModifiedTime(file).toInstant());
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            if (!HEADER.equals(lines.readLine())) {
                return null;
            }
            for (String each = lines.readLine(); each != null; each = lines.readLine()) {
                read(each, contents);
            }
        }
        return contents;
    }

    private void read(String line, Contents into) throws IOException {
        DiagnosticCollector problems = new DiagnosticCollector(file.toString());
        if (!(YamlReader.read(line.getBytes(StandardCharsets.UTF_8), problems) instanceof Mapping object)) {
            throw new IOException(file + ": damaged: " + problems.all());
        }
        StoredVersion stored = new StoredVersion(
                Long.parseLong(text(object, "version")),
                Instant.parse(text(object, "updated_at")),
                text(object, "updated_by"));
        if (object.entry("rule_id") != null) {
            into.rules()
                    .add(new StoredRule(text(object, "rule_id"), text(object, "domain"), json(object, "rule"), stored));
            return;
        }
        if (object.entry("token") != null && node(object, "token") instanceof Mapping token) {
            into.tokens().add(TokenJson.read(name -> textOrNull(token, name), stored));
            return;
        }
        if (object.entry("switch") != null) {
            into.switches().add(SwitchJson.read(json(object, "switch")));
            return;
        }
        byte[] terms = json(object, "quota").getBytes(StandardCharsets.UTF_8);
        StoredQuota quota = QuotaBody.read(text(object, "api_key"), terms, null, problems);
        if (quota == null) {
            throw new IOException(file + ": damaged: " + problems.all());
        }
        into.quotas().add(quota.withVersion(stored));
    }

    private String text(Mapping object, String name) throws IOException {
        if (node(object, name) instanceof Scalar scalar) {
            return scalar.text();
        }
        throw new IOException(file + ": " + name + " is not text");
    }

    private static @Nullable String textOrNull(Mapping object, String name) {
        YamlNode.Entry entry = object.entry(name);
        return entry != null && entry.value() instanceof Scalar scalar && !scalar.isNull() ? scalar.text() : null;
    }

    private String json(Mapping object, String name) throws IOException {
        YamlNode node = node(object, name);
        return Json.text(json -> Json.write(json, node));
    }

    private YamlNode node(Mapping object, String name) throws IOException {
        YamlNode.Entry entry = object.entry(name);
        if (entry == null) {
            throw new IOException(file + ": damaged: a line lacks " + name);
        }
        return entry.value();
    }
}

package dev.weir.server.rules;

import dev.weir.control.data.Json;
import dev.weir.control.data.PrivateFile;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the rule files as they were last audited, in the data folder. At the next start it shows which rules were
 * edited while the server was stopped. It has one JSON object per line.
 */
final class RuleFileCopy {
    /** The file's name in the data folder. */
    static final String NAME = "rule-files.jsonl";

    private final Path file;

    RuleFileCopy(Path folder) {
        this.file = folder.resolve(NAME);
    }

    /**
     * Reads the rules, as JSON by domain and name; null if there is no copy.
     *
     * @throws IOException if it cannot be read or is damaged
     */
    @Nullable
    Map<String, String> load() throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        Map<String, String> rules = new TreeMap<>();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String each = lines.readLine(); each != null; each = lines.readLine()) {
                DiagnosticCollector problems = new DiagnosticCollector(file.toString());
                if (!(YamlReader.read(each.getBytes(StandardCharsets.UTF_8), problems)
                                instanceof YamlNode.Mapping object)
                        || object.entries().size() != 1) {
                    throw new IOException(file + " is damaged: line " + (rules.size() + 1) + " is not a rule");
                }
                YamlNode.Entry rule = object.entries().get(0);
                rules.put(rule.key().text(), Json.text(out -> Json.write(out, rule.value())));
            }
        }
        return rules;
    }

    void save(Map<String, String> rules) throws IOException {
        PrivateFile.replace(file, to -> {
            for (Map.Entry<String, String> each : rules.entrySet()) {
                to.write(Json.text(out -> {
                    out.writeStartObject();
                    out.writeFieldName(each.getKey());
                    out.writeRawValue(each.getValue());
                    out.writeEndObject();
                }));
                to.write('\n');
            }
        });
    }
}

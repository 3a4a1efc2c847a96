package dev.weir.simulation.scenario;

import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.text.yaml.YamlNode.Entry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rules in a file of another kind, such as a scenario: the file with its own lines blanked, so that the reader of rule
 * files reports problems of a rule at its true line.
 */
public final class EmbeddedRules {
    private static final Pattern CONSISTENCY = Pattern.compile("consistency:\\s*\\w+");
    private final String text;

    private EmbeddedRules(String text) {
        this.text = text;
    }

    /** The rules in {@code file}: all {@code entries} whose names are not the file's {@code own}. */
    public static EmbeddedRules in(List<Entry> entries, String file, Predicate<String> own) {
        String[] lines = file.split("\n", -1);
        for (int i = 0; i < entries.size(); i++) {
            if (own.test(entries.get(i).key().text())) {
                int from = entries.get(i).key().at().line() - 1;
                int to = i + 1 < entries.size() ? entries.get(i + 1).key().at().line() - 1 : lines.length;
                for (int line = from; line < Math.max(to, from + 1); line++) {
                    lines[line] = "";
                }
            }
        }
        return new EmbeddedRules(String.join("\n", lines));
    }

    /** Loads the rules; {@code consistency}, if given, replaces that of each rule. */
    public LoadResult load(String fileName, @Nullable String consistency, LoadOptions options) {
        String rules = consistency == null ? text : CONSISTENCY.matcher(text).replaceAll("consistency: " + consistency);
        RuleDocument document = new RuleDocument(fileName, rules.getBytes(StandardCharsets.UTF_8));
        return RuleLoader.load(List.of(document), options);
    }
}

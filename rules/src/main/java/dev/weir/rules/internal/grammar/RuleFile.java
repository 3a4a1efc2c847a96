package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Sequence;
import dev.weir.text.yaml.YamlReader;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one file says: a domain, in one of the two spellings. */
public sealed interface RuleFile {
    /** What may stand at the top of a file, in one spelling or the other. */
    List<String> FIELDS = Stream.concat(WeirFormat.ROOT.stream(), EnvoyFields.ROOT.stream())
            .distinct()
            .toList();

    String domain();

    /** Where the file names its domain. */
    Position domainAt();

    /** What was wrong with the file; with errors in it, the rest is only what could be read. */
    DiagnosticCollector problems();

    /**
     * A domain in Envoy's spelling.
     *
     * @param replaced the names that its rules replace
     */
    record Envoy(
            String domain,
            Position domainAt,
            DiagnosticCollector problems,
            List<Placed<EnvoyDescriptor>> descriptors,
            List<Placed<String>> replaced)
            implements RuleFile {
        public Envoy {
            replaced = List.copyOf(replaced);
            descriptors = List.copyOf(descriptors);
        }
    }

    /** A domain, or part of one, in Weir's own spelling. */
    record Weir(String domain, Position domainAt, DiagnosticCollector problems, List<Placed<WeirRule>> rules)
            implements RuleFile {
        public Weir {
            rules = List.copyOf(rules);
        }
    }

    /** Something and where it stands in its file. */
    record Placed<T>(T value, Position at) {}

    /** Reads a file; null if there is nothing in it that could be a domain, and {@code problems} says why. */
    static @Nullable RuleFile read(byte[] bytes, DiagnosticCollector problems, StoreNames stores) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (root == null) {
            if (problems.errors() == 0) {
                String hint = "write rules: [] if nothing is to be limited";
                problems.error(new Position(1, 1), "the file is empty", hint);
            }
            return null;
        }
        if (root instanceof Sequence list) {
            problems.error(list.at(), "the file: a list", "expected: the list under rules, or under descriptors");
            return null;
        }
        Fields fields = Fields.of(root, "the file", problems);
        if (fields == null) {
            return null;
        }
        return isWeir((Mapping) root)
                ? new WeirFormat(problems, stores).read(fields)
                : new EnvoyFormat(problems, stores).read(fields);
    }

    /** Told apart by {@code rules} and {@code descriptors}; without either, by the other words, and by what they resemble. */
    private static boolean isWeir(Mapping root) {
        if (root.entry("rules") != null || root.entry("descriptors") != null) {
            return root.entry("rules") != null;
        }
        return root.entries().stream().limit(100).map(each -> each.key().text()).anyMatch(name -> {
            String meant = WeirFormat.OF_RULES.contains(name) ? "rules" : Suggestion.nearest(name, FIELDS);
            return meant != null && !EnvoyFields.ROOT.contains(meant);
        });
    }
}

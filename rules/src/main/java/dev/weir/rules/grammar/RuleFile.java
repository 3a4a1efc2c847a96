package dev.weir.rules.grammar;

import dev.weir.match.EnvoyDescriptor;
import dev.weir.match.WeirRule;
import dev.weir.rules.diagnostics.Position;
import dev.weir.rules.diagnostics.Problems;
import dev.weir.rules.diagnostics.Suggestion;
import dev.weir.rules.yaml.YamlNode;
import dev.weir.rules.yaml.YamlNode.Mapping;
import dev.weir.rules.yaml.YamlNode.Sequence;
import dev.weir.rules.yaml.YamlReader;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one file says: a domain, in one of the two spellings. */
public sealed interface RuleFile {
    /** What may stand at the top of a file, in one spelling or the other. */
    List<String> FIELDS = Stream.concat(WeirSpelling.ROOT.stream(), EnvoyFields.ROOT.stream())
            .distinct()
            .toList();

    String domain();

    /** Where the file names its domain. */
    Position domainAt();

    /** What was wrong with the file; with errors in it, the rest is only what could be read. */
    Problems problems();

    /**
     * A domain in Envoy's spelling.
     *
     * @param replaced the names that its rules replace
     */
    record Envoy(
            String domain,
            Position domainAt,
            Problems problems,
            List<Placed<EnvoyDescriptor>> descriptors,
            List<Placed<String>> replaced)
            implements RuleFile {
        public Envoy {
            replaced = List.copyOf(replaced);
            descriptors = List.copyOf(descriptors);
        }
    }

    /** A domain, or part of one, in Weir's own spelling. */
    record Weir(String domain, Position domainAt, Problems problems, List<Placed<WeirRule>> rules) implements RuleFile {
        public Weir {
            rules = List.copyOf(rules);
        }
    }

    /** Something and where it stands in its file. */
    record Placed<T>(T value, Position at) {}

    /** Reads a file; null if there is nothing in it that could be a domain, and {@code problems} says why. */
    static @Nullable RuleFile read(byte[] bytes, Problems problems, StoreNames stores) {
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
                ? new WeirSpelling(problems, stores).read(fields)
                : new EnvoySpelling(problems, stores).read(fields);
    }

    /** Told apart by {@code rules} and {@code descriptors}; without either, by the other words, and by what they resemble. */
    private static boolean isWeir(Mapping root) {
        if (root.entry("rules") != null || root.entry("descriptors") != null) {
            return root.entry("rules") != null;
        }
        return root.entries().stream().limit(100).map(each -> each.key().text()).anyMatch(name -> {
            String meant = WeirSpelling.OF_RULES.contains(name) ? "rules" : Suggestion.nearest(name, FIELDS);
            return meant != null && !EnvoyFields.ROOT.contains(meant);
        });
    }
}

package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.LoadQuery;
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

/** The contents of one rule file: a domain in one of the two formats. */
public sealed interface RuleFile {
    /** The top-level fields of a file, of both formats. */
    List<String> FIELDS = Stream.concat(WeirFormat.ROOT.stream(), EnvoyFields.ROOT.stream())
            .distinct()
            .toList();

    String domain();

    /** Returns where the file names its domain. */
    Position domainAt();

    /** Returns the diagnostics of the file. If there are errors, the contents are incomplete. */
    DiagnosticCollector problems();

    /**
     * A domain in Envoy's format.
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

    /**
     * A domain, or a part of one, in Weir's format.
     *
     * @param loadQueries where the loads of its services are read from
     * @param priorities how important its requests are; the first that matches holds
     */
    record Weir(
            String domain,
            Position domainAt,
            DiagnosticCollector problems,
            List<Placed<WeirRule>> rules,
            List<Placed<LoadQuery>> loadQueries,
            List<PriorityRule> priorities)
            implements RuleFile {
        public Weir {
            loadQueries = List.copyOf(loadQueries);
            priorities = List.copyOf(priorities);
            rules = List.copyOf(rules);
        }
    }

    /** A value with its position in the file. */
    record Placed<T>(T value, Position at) {}

    /**
     * Reads a file; null if it is not a mapping, and {@code problems} then has the error.
     *
     * @param calendarMonths whether a month of Envoy's format is one of the calendar
     * @param form the form in which rules of Weir's format compare endpoints
     */
    static @Nullable RuleFile read(
            byte[] bytes, DiagnosticCollector problems, StoreNames stores, boolean calendarMonths, EndpointForm form) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (root == null) {
            if (problems.errors() == 0) {
                String hint = "write rules: [] to limit nothing";
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
                ? new WeirFormat(problems, stores, form).read(fields)
                : new EnvoyFormat(problems, stores, calendarMonths).read(fields);
    }

    /**
     * Returns whether the file is in Weir's format: it has {@code rules} and not {@code descriptors}. If it has
     * neither, the other fields decide, also misspelt ones.
     */
    private static boolean isWeir(Mapping root) {
        if (root.entry("rules") != null || root.entry("descriptors") != null) {
            return root.entry("rules") != null;
        }
        return root.entries().stream().limit(100).map(each -> each.key().text()).anyMatch(name -> {
            String meant = WeirFormat.RULE_ONLY.contains(name) ? "rules" : Suggestion.nearest(name, FIELDS);
            return meant != null && !EnvoyFields.ROOT.contains(meant);
        });
    }
}

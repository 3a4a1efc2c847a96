package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import dev.weir.text.yaml.YamlReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A single rule in JSON or YAML. It is written like an item of {@code rules} in a file, or flat: {@code rate}, {@code
 * window}, {@code burst} and {@code algorithm} beside {@code endpoint}, {@code method} and {@code key}. It is converted
 * to an item and read by the grammar of files, which reports errors at the positions of this body.
 *
 * @param body the given members of the rule, without name, domain and the members that only responses have
 * @param file the rule as the only one of its domain; without a rule if it is not enabled
 */
public record RuleBody(Mapping body, RuleFile.Weir file) {
    /** The members that only responses have. A client may send them back with a changed response. */
    private static final Set<String> RESPONSE_ONLY = Set.of(
            "rule_id",
            "status",
            "switched",
            "label",
            "applies_to",
            "summary",
            "source",
            "hides",
            "replaces",
            "version",
            "updated_at",
            "updated_by");

    private static final Set<String> LIMIT_FIELDS =
            Set.of("algorithm", "burst", "burst_credit", "window", "sub_windows", "over", "permit_ttl");

    /** Reads the rule {@code id}; null if the body is not a mapping, and {@code problems} then has the error. */
    public static @Nullable RuleBody read(
            String id,
            byte[] bytes,
            String domainOtherwise,
            DiagnosticCollector problems,
            StoreNames stores,
            EndpointForm form) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (!(root instanceof Mapping given)) {
            if (problems.errors() == 0) {
                String kind = root == null ? "empty" : root.kind();
                problems.error(new Position(1, 1), "the rule: " + kind, "expected: an object of names and values");
            }
            return null;
        }
        Shape shape = new Shape(given, problems);
        given.entries().forEach(each -> shape.take(each, id));
        Scalar domain = shape.domain == null ? text(given.at(), domainOtherwise) : shape.domain;
        Mapping file = new Mapping(
                given.at(),
                List.of(
                        new Entry(text(given.at(), "domain"), domain),
                        new Entry(text(given.at(), "rules"), new Sequence(given.at(), List.of(shape.rule(id))))));
        Fields fields = Fields.of(file, "the rule", problems);
        return fields == null
                ? null
                : new RuleBody(
                        new Mapping(given.at(), shape.body), new WeirFormat(problems, stores, form).read(fields));
    }

    private static Scalar text(Position at, String text) {
        return new Scalar(at, text, false);
    }

    /** Converts the members of a body into those of a rule in a file. */
    private static final class Shape {
        private final Mapping given;
        private final DiagnosticCollector problems;
        final List<Entry> body = new ArrayList<>();
        private final List<Entry> rule = new ArrayList<>();
        private final List<Entry> limit = new ArrayList<>();
        /** The member of the body that gave each field of the file. */
        private final Map<String, String> givenBy = new HashMap<>();

        @Nullable
        Scalar domain;

        private @Nullable YamlNode nestedLimit;
        private @Nullable Entry endpoint;
        private @Nullable Scalar method;

        Shape(Mapping given, DiagnosticCollector problems) {
            this.given = given;
            this.problems = problems;
        }

        void take(Entry entry, String id) {
            String name = entry.key().text();
            if (entry.value() instanceof Scalar scalar && scalar.isNull()) {
                return; // the same as absent
            }
            if (name.equals("name") || name.equals("rule_id")) {
                checkName(entry, id);
                return;
            }
            if (RESPONSE_ONLY.contains(name)) {
                return;
            }
            if (name.equals("domain")) {
                domain = scalar(entry);
                return;
            }
            body.add(entry);
            switch (name) {
                case "rate" -> add(entry, "requests", limit);
                case "unit" -> add(entry, "window", limit);
                case "limit" -> addLimitMember(entry);
                case "endpoint" -> endpoint = entry;
                case "method" -> method = scalar(entry);
                case "key" -> add(entry, "key_by", rule);
                default -> add(entry, name, isOfLimit(entry) ? limit : rule);
            }
        }

        /** A rule has an {@code over} with members; a limit has one of a single word. */
        private static boolean isOfLimit(Entry entry) {
            String name = entry.key().text();
            return LIMIT_FIELDS.contains(name) && !(name.equals("over") && entry.value() instanceof Mapping);
        }

        private void addLimitMember(Entry entry) {
            if (entry.value() instanceof Scalar) {
                add(entry, "requests", limit);
            } else {
                nestedLimit = entry.value();
            }
        }

        private void checkName(Entry entry, String id) {
            if (!(entry.value() instanceof Scalar scalar) || !scalar.text().equals(id)) {
                String shown = entry.value() instanceof Scalar scalar
                        ? quote(scalar.text())
                        : entry.value().kind();
                String expected = "expected: " + quote(id) + ", or nothing";
                problems.error(entry.value().at(), entry.key().text() + ": " + shown, expected);
            }
        }

        private @Nullable Scalar scalar(Entry entry) {
            if (entry.value() instanceof Scalar scalar) {
                return scalar.isNull() ? null : scalar;
            }
            problems.error(
                    entry.value().at(),
                    entry.key().text() + ": " + entry.value().kind(),
                    "expected: a single value");
            return null;
        }

        /** Adds {@code entry} under its name in a file, unless another member gave that field already. */
        private void add(Entry entry, String name, List<Entry> into) {
            String first = givenBy.putIfAbsent(name, entry.key().text());
            if (first != null) {
                String both = quote(entry.key().text()) + " beside " + quote(first);
                problems.error(entry.key().at(), both, "both mean the same: remove one");
            } else {
                into.add(new Entry(text(entry.key().at(), name), entry.value()));
            }
        }

        /** Returns the body as an item of {@code rules}. */
        Mapping rule(String id) {
            List<Entry> item = new ArrayList<>();
            item.add(new Entry(text(given.at(), "name"), text(given.at(), id)));
            item.addAll(rule);
            addMatch(item);
            addLimit(item);
            return new Mapping(given.at(), item);
        }

        private void addLimit(List<Entry> item) {
            YamlNode nested = nestedLimit;
            if (nested != null) {
                item.add(new Entry(text(nested.at(), "limit"), nested));
                if (!limit.isEmpty()) {
                    Entry first = limit.get(0);
                    problems.error(
                            first.key().at(), quote(first.key().text()) + " beside limit", "it belongs in limit");
                }
                return;
            }
            if (!limit.isEmpty()) {
                item.add(new Entry(text(limit.get(0).key().at(), "limit"), new Mapping(given.at(), limit)));
            }
        }

        private void addMatch(List<Entry> item) {
            Entry path = endpoint;
            Scalar verb = method;
            if (path == null && verb == null) {
                return;
            }
            Position at = path == null ? given.at() : path.value().at();
            if (givenBy.containsKey("match")) {
                problems.error(at, "endpoint or method beside match", "they belong in match");
                return;
            }
            Entry only = path != null
                    ? new Entry(path.key(), verb == null ? path.value() : withMethod(verb, path.value()))
                    : new Entry(text(at, "method"), verb == null ? text(at, "") : verb);
            item.add(new Entry(text(at, "match"), new Mapping(at, List.of(only))));
        }

        /** Puts the method before the endpoint, or before each of several. */
        private static YamlNode withMethod(Scalar method, YamlNode endpoint) {
            if (endpoint instanceof Sequence list) {
                return new Sequence(
                        list.at(),
                        list.items().stream()
                                .map(each -> withMethod(method, each))
                                .toList());
            }
            return endpoint instanceof Scalar path && !path.isNull()
                    ? text(path.at(), method.text() + " " + path.text())
                    : endpoint;
        }
    }
}

package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code match}: the requests that a rule in Weir's format applies to. */
final class MatchReader {
    /** One attribute of a {@code match} with its values, as text and compiled. */
    record MatchClause(String attribute, List<Placed<String>> values, Condition condition) {

        List<String> texts() {
            return values.stream().map(Placed::value).toList();
        }

        @Override
        public String toString() {
            return attribute + "=" + String.join("|", texts());
        }
    }

    private static final int LONGEST_REGEX = 1_000;
    /**
     * The most characters of a value that a regular expression is matched against, because every step takes time on an
     * event loop that serves all callers. Of a longer value it sees the beginning: if a long value matched nothing,
     * callers could evade the rule.
     */
    private static final int LONGEST_INPUT = 1_024;

    private final DiagnosticCollector problems;
    private final SuspiciousMatchWarnings warnings;

    MatchReader(DiagnosticCollector problems, SuspiciousMatchWarnings warnings) {
        this.problems = problems;
        this.warnings = warnings;
    }

    /** Reads the clauses of a rule's {@code match}; empty if it has none. */
    List<MatchClause> read(Fields rule, boolean ignoresCase) {
        YamlNode node = rule.node("match");
        Fields match = node == null ? null : Fields.of(node, "match", "{ endpoint: \"POST /login\" }", problems);
        if (match == null) {
            return List.of();
        }
        List<MatchClause> clauses = new ArrayList<>();
        for (Entry each : match.entries()) {
            MatchClause clause = clause(each, ignoresCase);
            if (clause != null) {
                warnings.attribute(clause.attribute(), each.key().at());
                clauses.add(clause);
            }
        }
        warnings.match(clauses);
        return clauses;
    }

    private @Nullable MatchClause clause(Entry entry, boolean ignoresCase) {
        String attribute = entry.key().text();
        if (attribute.isBlank()) {
            problems.error(entry.key().at(), "an attribute has no name");
            return null;
        }
        List<YamlNode> values = entry.value() instanceof Sequence list ? list.items() : List.of(entry.value());
        if (values.isEmpty()) {
            problems.error(entry.value().at(), attribute + ": [] can never match", "expected: at least one value");
            return null;
        }
        List<Placed<String>> texts = new ArrayList<>();
        List<ValuePattern> patterns = new ArrayList<>();
        for (YamlNode each : values) {
            ValuePattern pattern = pattern(attribute, each, ignoresCase);
            if (pattern != null) {
                texts.add(new Placed<>(((Scalar) each).text(), each.at()));
                patterns.add(pattern);
            }
        }
        return patterns.size() < values.size()
                ? null
                : new MatchClause(attribute, texts, new Condition(attribute, patterns));
    }

    private @Nullable ValuePattern pattern(String attribute, YamlNode node, boolean ignoresCase) {
        if (!(node instanceof Scalar scalar) || scalar.isNull()) {
            String expected = "expected: a text, or a list of texts; put it in quotes if it is meant literally";
            problems.error(node.at(), attribute + ": " + node.kind(), expected);
            return null;
        }
        String text = scalar.text();
        if (text.startsWith("~")) {
            return regex(attribute, scalar, ignoresCase && attribute.equals(Attributes.ENDPOINT));
        }
        if (attribute.equals(Attributes.ENDPOINT) && !isEndpoint(text)) {
            String expected = "expected: /path, METHOD /path or *";
            problems.error(scalar.at(), "endpoint " + quote(text) + " can never match", expected);
            return null;
        }
        try {
            ValuePattern pattern = ValuePattern.parse(attribute, text);
            if (isAddress(attribute) && pattern instanceof ValuePattern.Exact) {
                String expected = "expected: an address, or a block like 10.0.0.0/8";
                problems.error(scalar.at(), attribute + " " + quote(text) + " can never match", expected);
                return null;
            }
            return pattern;
        } catch (IllegalArgumentException e) {
            problems.error(scalar.at(), attribute + ": " + e.getMessage());
            return null;
        }
    }

    /** Whether {@code text} is a path that begins with a slash or a star, with a method or a single star before it. */
    static boolean isEndpoint(String text) {
        int path = EndpointPattern.pathOf(text);
        boolean slash = text.startsWith("/", path) || text.startsWith("*", path);
        return slash && (path == 0 || text.startsWith("* ") || text.lastIndexOf('*', path - 1) < 0);
    }

    private static boolean isAddress(String attribute) {
        return attribute.equals("ip") || attribute.equals("remote_address");
    }

    private static String truncated(String value) {
        return value.length() <= LONGEST_INPUT ? value : value.substring(0, LONGEST_INPUT);
    }

    /** Reads a regular expression. It may match anywhere in the value: {@code ^} and {@code $} anchor it. */
    private @Nullable ValuePattern regex(String attribute, Scalar scalar, boolean ignoresCase) {
        String expression = scalar.text().substring(1);
        if (expression.isEmpty() || expression.length() > LONGEST_REGEX) {
            String expected = "expected: 1 to " + LONGEST_REGEX + " characters after the ~";
            problems.error(scalar.at(), attribute + ": " + expression.length() + " characters", expected);
            return null;
        }
        if (RegexSize.isTooLarge(expression)) {
            String message = attribute + ": counted repeats in " + quote(expression) + " multiply to more than "
                    + RegexSize.MOST;
            problems.error(scalar.at(), message);
            return null;
        }
        try {
            Pattern compiled = Pattern.compile(expression, ignoresCase ? Pattern.CASE_INSENSITIVE : 0);
            return new ValuePattern.Regex(
                    scalar.text(), value -> compiled.matcher(truncated(value)).find());
        } catch (PatternSyntaxException e) {
            String message = attribute + ": not a regular expression: " + e.getDescription();
            problems.error(scalar.at(), message, "RE2 syntax: no look-around, no back-references");
            return null;
        }
    }
}

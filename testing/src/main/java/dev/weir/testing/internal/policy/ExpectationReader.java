package dev.weir.testing.internal.policy;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads what a step expects. */
final class ExpectationReader {
    static final List<String> FIELDS =
            List.of("expect", "rule", "status", "retry_after", "waits", "remaining", "headers");

    private static final List<String> COUNTS = List.of("allowed", "denied", "degraded");
    private static final String NEVER = "never";

    private final WrittenRules rules;
    private final DiagnosticCollector problems;

    ExpectationReader(WrittenRules rules, DiagnosticCollector problems) {
        this.rules = rules;
        this.problems = problems;
    }

    /** Reads the expectation of a step with {@code times} requests. */
    Expectation read(Fields fields, int times) {
        Expected<Long> allowed = null;
        Expected<Long> denied = null;
        Expected<Long> degraded = null;
        YamlNode node = fields.node("expect");
        if (node instanceof Scalar scalar) {
            switch (scalar.text()) {
                case "allowed" -> allowed = new Expected<>(scalar.at(), (long) times);
                case "denied" -> denied = new Expected<>(scalar.at(), (long) times);
                case "degraded" -> degraded = new Expected<>(scalar.at(), (long) times);
                default ->
                    problems.error(
                            scalar.at(), "expect: " + quote(scalar.text()), Suggestion.among(scalar.text(), COUNTS));
            }
        } else if (node != null) {
            Fields counts = Fields.of(node, "expect", "{ allowed: 20, denied: 80 }", problems);
            if (counts != null) {
                Map<String, String> outside = FIELDS.stream()
                        .collect(Collectors.toMap(Function.identity(), each -> "it belongs beside expect"));
                counts.allow(COUNTS, outside);
                allowed = whole(counts, "allowed", times);
                denied = whole(counts, "denied", times);
                degraded = whole(counts, "degraded", times);
                if (allowed != null && denied != null && allowed.value() + denied.value() != times) {
                    problems.error(
                            denied.at(),
                            "allowed and denied: " + (allowed.value() + denied.value()) + " in all",
                            "expected: " + times + ", as many as the step has requests");
                }
            }
        }
        return new Expectation(
                allowed,
                denied,
                degraded,
                rule(fields),
                whole(fields, "status", 599),
                wait(fields, "retry_after", true),
                wait(fields, "waits", false),
                whole(fields, "remaining", Long.MAX_VALUE),
                headers(fields));
    }

    private static @Nullable Expected<Long> whole(Fields fields, String name, long most) {
        Long value = fields.whole(name, 0, most);
        return value == null ? null : new Expected<>(fields.at(name), value);
    }

    private @Nullable Expected<String> rule(Fields fields) {
        String name = fields.text("rule");
        if (name == null) {
            return null;
        }
        List<String> labels = rules.rules().stream().map(Rule::label).distinct().toList();
        if (!labels.isEmpty() && !labels.contains(name)) {
            problems.error(fields.at("rule"), "unknown rule " + quote(name), Suggestion.among(name, labels));
        }
        return new Expected<>(fields.at("rule"), name);
    }

    private @Nullable Expected<ExpectedWait> wait(Fields fields, String name, boolean mayBeNever) {
        Scalar scalar = fields.scalar(name);
        if (scalar == null) {
            return null;
        }
        if (mayBeNever && scalar.text().equals(NEVER)) {
            return new Expected<>(scalar.at(), new ExpectedWait(ExpectedWait.NEVER, 1));
        }
        try {
            long micros = Durations.micros(scalar.text());
            long unit = Durations.micros("1" + scalar.text().replaceFirst("^[0-9]+", ""));
            return new Expected<>(scalar.at(), new ExpectedWait(micros, unit));
        } catch (IllegalArgumentException e) {
            problems.error(scalar.at(), name + ": " + quote(scalar.text()), String.valueOf(e.getMessage()));
            return null;
        }
    }

    private Map<String, Expected<Optional<String>>> headers(Fields fields) {
        YamlNode node = fields.node("headers");
        Fields named = node == null ? null : Fields.of(node, "headers", "{ Retry-After: 12 }", problems);
        Map<String, Expected<Optional<String>>> headers = new LinkedHashMap<>();
        if (named != null) {
            for (Entry each : named.entries()) {
                String value = named.text(each.key().text());
                headers.put(each.key().text(), new Expected<>(each.key().at(), Optional.ofNullable(value)));
            }
        }
        return headers;
    }
}

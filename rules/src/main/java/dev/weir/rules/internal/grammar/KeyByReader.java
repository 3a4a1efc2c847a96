package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code key_by} and {@code key_pattern}: the attributes whose values select a counter. */
final class KeyByReader {
    static final List<String> FIELDS = List.of("key_by", "key_pattern", "ipv6_prefix");

    private static final Pattern NAME = Pattern.compile("[^\\s|:{}*,\\[\\]]+");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)}");

    private final DiagnosticCollector problems;
    private final SuspiciousMatchWarnings warnings;

    KeyByReader(DiagnosticCollector problems, SuspiciousMatchWarnings warnings) {
        this.problems = problems;
        this.warnings = warnings;
    }

    /** Returns the key that {@code fields} set, else {@code byDefault}. */
    KeyBy read(Fields fields, KeyBy byDefault) {
        YamlNode keyBy = fields.node("key_by");
        Scalar pattern = fields.scalar("key_pattern");
        Long bits = fields.whole("ipv6_prefix", 1, 128);
        KeyBy key = byDefault;
        if (keyBy != null && pattern != null) {
            problems.error(fields.nameAt("key_pattern"), "key_pattern beside key_by", "both mean the same: remove one");
        } else if (keyBy != null) {
            List<List<String>> parts = parts(keyBy);
            warnings.key(parts, keyBy.at());
            key = new KeyBy(parts, byDefault.ipv6Prefix());
        } else if (pattern != null) {
            key = new KeyBy(placeholders(pattern), byDefault.ipv6Prefix());
        }
        return bits == null ? key : key.withIpv6Prefix(Math.toIntExact(bits));
    }

    private List<List<String>> parts(YamlNode node) {
        List<List<String>> parts = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        if (node instanceof Scalar scalar) {
            tuple(scalar, parts, seen);
        } else if (node instanceof Sequence list) {
            for (YamlNode each : list.items()) {
                if (each instanceof Scalar scalar && !scalar.isNull()) {
                    tuple(scalar, parts, seen);
                } else {
                    problems.error(
                            each.at(), "key_by: " + each.kind() + " in the list", "expected: names of attributes");
                }
            }
        } else {
            problems.error(node.at(), "key_by: " + node.kind(), "expected: a name, or a list of names");
        }
        return parts;
    }

    /** Reads {@code user_id}, {@code user_id:ip} or {@code api_key | ip}. */
    private void tuple(Scalar scalar, List<List<String>> parts, Set<String> seen) {
        for (String part : scalar.text().split(":", -1)) {
            List<String> alternatives = new ArrayList<>();
            for (String name : part.split("\\|", -1)) {
                String stripped = name.strip();
                if (NAME.matcher(stripped).matches()) {
                    alternatives.add(stripped);
                    check(stripped, seen, scalar.at());
                } else {
                    String expected = "expected: user_id, user_id:ip or api_key | ip";
                    problems.error(scalar.at(), "key_by: " + quote(scalar.text()), expected);
                    return;
                }
            }
            parts.add(alternatives);
        }
    }

    /**
     * Reads the placeholders of a pattern: {@code user:{user_id}} counts by user_id. The text around the braces has no
     * effect.
     */
    private List<List<String>> placeholders(Scalar scalar) {
        List<List<String>> parts = new ArrayList<>();
        Matcher placeholder = PLACEHOLDER.matcher(scalar.text());
        while (placeholder.find()) {
            parts.add(List.of(placeholder.group(1).strip()));
        }
        String rest = placeholder.replaceAll("");
        boolean named =
                parts.stream().allMatch(part -> NAME.matcher(part.get(0)).matches());
        if (parts.isEmpty() || !named || rest.contains("{") || rest.contains("}")) {
            problems.error(
                    scalar.at(), "key_pattern: " + quote(scalar.text()), "expected: something like user:{user_id}");
            return List.of();
        }
        Set<String> seen = new HashSet<>();
        parts.forEach(part -> check(part.get(0), seen, scalar.at()));
        return parts;
    }

    /** Checks a name in a key that has {@code seen} others. */
    private void check(String name, Set<String> seen, Position at) {
        warnings.attribute(name, at);
        if (!seen.add(name)) {
            problems.error(at, quote(name) + " twice in one key");
        }
    }
}

package dev.weir.text.fields;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one mapping, read by name and type. What is missing, or left empty, is null; what is wrong is reported where it
 * stands and null as well, so that the reader goes on to the next mistake.
 */
public final class Fields {
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9_]*");
    /** 100 percent. */
    private static final int TEN_THOUSAND = 10_000;

    private static final Pattern PERCENT = Pattern.compile("(0|[1-9][0-9]{0,2})(\\.[0-9]{1,2})?");

    private final Mapping mapping;
    private final DiagnosticCollector problems;
    /** What was said of fields that are not known. */
    private final List<String> hints = new ArrayList<>();

    private Fields(Mapping mapping, DiagnosticCollector problems) {
        this.mapping = mapping;
        this.problems = problems;
    }

    /** The fields of {@code node}, or null if it is no mapping. */
    public static @Nullable Fields of(YamlNode node, String what, DiagnosticCollector problems) {
        return of(node, what, "", problems);
    }

    /** The same, with an {@code example} of the mapping for those who write something else. */
    public static @Nullable Fields of(YamlNode node, String what, String example, DiagnosticCollector problems) {
        if (node instanceof Mapping mapping) {
            return new Fields(mapping, problems);
        }
        problems.error(
                node.at(),
                what + ": " + node.kind(),
                "expected: a mapping of names to values" + (example.isEmpty() ? "" : ", like " + example));
        return null;
    }

    public Position at() {
        return mapping.at();
    }

    public DiagnosticCollector problems() {
        return problems;
    }

    public List<Entry> entries() {
        return mapping.entries();
    }

    /** Those of the fields whose names are {@code wanted}, by themselves. */
    public Fields only(Predicate<String> wanted) {
        List<Entry> left = entries().stream()
                .filter(each -> wanted.test(each.key().text()))
                .toList();
        return new Fields(new Mapping(at(), left), problems);
    }

    /** Reports every field but {@code known}; {@code others} are words that people try, with what is meant. */
    public void allow(List<String> known, Map<String, String> others) {
        for (Entry each : mapping.entries()) {
            String name = each.key().text();
            if (!known.contains(name)) {
                refuse(each, others.get(name), known);
            }
        }
    }

    /** Reports a field that is not known, with what is {@code meant}, else with what of {@code known} it resembles. */
    public void refuse(Entry field, @Nullable String meant, List<String> known) {
        String name = field.key().text();
        // Where thousands are wrong, none of their hints is shown, and each costs its time.
        String hint = meant != null ? meant : problems.isFull() ? "" : Suggestion.among(name, known);
        problems.error(field.key().at(), "unknown field " + quote(name), hint);
        hints.add(hint);
    }

    /** Whether {@code name} is missing, and that is not only because its name is misspelt, or its parts stand outside. */
    public boolean lacks(String name) {
        return !has(name) && !isMeant(name);
    }

    /** Whether an unknown field was taken for {@code name}, or for a part of it. */
    public boolean isMeant(String name) {
        return hints.stream().anyMatch(hint -> hint.startsWith(Suggestion.meant(name)) || hint.equals(belongsIn(name)));
    }

    /** The hint for a field that stands outside of its place. */
    public static String belongsIn(String name) {
        return "it belongs in " + name;
    }

    public boolean has(String name) {
        return node(name) != null;
    }

    public @Nullable YamlNode node(String name) {
        Entry entry = mapping.entry(name);
        if (entry == null || (entry.value() instanceof Scalar scalar && scalar.isNull())) {
            return null;
        }
        return entry.value();
    }

    /** Where the value of {@code name} stands, else where the mapping does. */
    public Position at(String name) {
        YamlNode node = node(name);
        return node == null ? at() : node.at();
    }

    /** Where {@code name} itself stands, else where the mapping does. */
    public Position nameAt(String name) {
        Entry entry = mapping.entry(name);
        return entry == null ? at() : entry.key().at();
    }

    public @Nullable Scalar scalar(String name) {
        YamlNode node = node(name);
        if (node == null || node instanceof Scalar) {
            return (Scalar) node;
        }
        problems.error(node.at(), name + ": " + node.kind(), "expected: a single value");
        return null;
    }

    /** The text that stands there, whatever YAML would make of it. */
    public @Nullable String text(String name) {
        Scalar scalar = scalar(name);
        return scalar == null ? null : scalar.text();
    }

    /** The items of a list; empty where there is none. */
    public List<YamlNode> list(String name) {
        YamlNode node = node(name);
        if (node == null) {
            return List.of();
        }
        if (node instanceof Sequence sequence) {
            return sequence.items();
        }
        problems.error(node.at(), name + ": " + node.kind(), "expected: a list");
        return List.of();
    }

    /** A number without a fraction, from {@code least} to {@code most}. */
    public @Nullable Long whole(String name, long least, long most) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return null;
        }
        String range = most == Long.MAX_VALUE ? " >= " + least : " from " + least + " to " + most;
        String expected = "expected: a whole number" + range;
        if (!scalar.plain()) {
            problems.error(scalar.at(), name + ": a text in quotes", "expected: a whole number, without quotes");
            return null;
        }
        if (!WHOLE.matcher(scalar.text()).matches()) {
            problems.error(scalar.at(), name + ": " + quote(scalar.text()), expected);
            return null;
        }
        try {
            long value = Long.parseLong(scalar.text().replace("_", ""));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException tooLong) {
            expected = "expected: a whole number from " + least + " to " + most;
        }
        problems.error(scalar.at(), name + ": " + quote(scalar.text()), expected);
        return null;
    }

    /** A part of everything in percent, as so many of ten thousand. */
    public @Nullable Integer percent(String name) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return null;
        }
        if (scalar.plain() && PERCENT.matcher(scalar.text()).matches()) {
            int part = new BigDecimal(scalar.text()).movePointRight(2).intValueExact();
            if (part <= TEN_THOUSAND) {
                return part;
            }
        }
        String expected = "expected: a percentage from 0 to 100, like 25 or 0.5";
        problems.error(scalar.at(), name + ": " + quote(scalar.text()), expected);
        return null;
    }

    /** A flag; YAML 1.1's words count, in the three ways that it writes them, for the reference service takes them. */
    public boolean flag(String name, boolean otherwise) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return otherwise;
        }
        Boolean flag = !scalar.plain()
                ? null
                : switch (scalar.text()) {
                    case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y" -> Boolean.TRUE;
                    case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N" -> Boolean.FALSE;
                    default -> null;
                };
        if (flag != null) {
            return flag;
        }
        problems.error(scalar.at(), name + ": " + quote(scalar.text()), "expected: true or false, without quotes");
        return otherwise;
    }

    /** A duration in microseconds, longer than none. */
    public @Nullable Long duration(String name) {
        return duration(name, "s");
    }

    /** The same, where a number without a unit was probably meant in {@code likely}. */
    @Nullable
    public Long duration(String name, String likely) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return null;
        }
        try {
            long micros = Durations.micros(scalar.text(), likely);
            if (micros > 0) {
                return micros;
            }
            problems.error(scalar.at(), name + ": " + quote(scalar.text()), "expected: more than nothing");
        } catch (IllegalArgumentException e) {
            problems.error(scalar.at(), name + ": " + quote(scalar.text()), String.valueOf(e.getMessage()));
        }
        return null;
    }

    /** One of {@code values}, spelt as it prints in lower case. */
    public <E extends Enum<E>> @Nullable E oneOf(String name, E[] values) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return null;
        }
        List<String> spellings = Arrays.stream(values).map(Fields::spelling).toList();
        int place = spellings.indexOf(scalar.text());
        if (place >= 0) {
            return values[place];
        }
        String hint = Suggestion.among(scalar.text(), spellings);
        problems.error(scalar.at(), "unknown " + name + " " + quote(scalar.text()), hint);
        return null;
    }

    public static String spelling(Enum<?> value) {
        return value.toString().toLowerCase(Locale.ROOT);
    }
}

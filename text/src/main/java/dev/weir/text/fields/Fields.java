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
 * Reads the fields of one mapping by name and type. A missing or empty field is null. A wrong value is reported at its
 * position and is null too, so that the caller goes on to the next mistake.
 */
public final class Fields {
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9_]*");
    /** 100 percent, in hundredths of a percent. */
    private static final int ALL = 10_000;

    private static final Pattern PERCENT = Pattern.compile("(0|[1-9][0-9]{0,2})(\\.[0-9]{1,2})?");

    private final Mapping mapping;
    private final DiagnosticCollector problems;
    /** The hints given for unknown fields. */
    private final List<String> hints = new ArrayList<>();

    private Fields(Mapping mapping, DiagnosticCollector problems) {
        this.mapping = mapping;
        this.problems = problems;
    }

    /** Returns the fields of {@code node}; null, with an error, if it is not a mapping. */
    public static @Nullable Fields of(YamlNode node, String what, DiagnosticCollector problems) {
        return of(node, what, "", problems);
    }

    /** Returns the fields of {@code node}; the error for anything but a mapping shows {@code example}. */
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

    /** Returns only the fields whose names are {@code wanted}. */
    public Fields only(Predicate<String> wanted) {
        List<Entry> left = entries().stream()
                .filter(each -> wanted.test(each.key().text()))
                .toList();
        return new Fields(new Mapping(at(), left), problems);
    }

    /** Reports every field that is not {@code known}; {@code others} holds hints for names that people try. */
    public void allow(List<String> known, Map<String, String> others) {
        for (Entry each : mapping.entries()) {
            String name = each.key().text();
            if (!known.contains(name)) {
                refuse(each, others.get(name), known);
            }
        }
    }

    /** Reports an unknown field, with the hint {@code meant}, else with the most similar name of {@code known}. */
    public void refuse(Entry field, @Nullable String meant, List<String> known) {
        String name = field.key().text();
        // If the collector is full, no hint is shown, so do not compute it.
        String hint = meant != null ? meant : problems.isFull() ? "" : Suggestion.among(name, known);
        problems.error(field.key().at(), "unknown field " + quote(name), hint);
        hints.add(hint);
    }

    /**
     * Returns whether {@code name} is missing. A field counts as present if it is misspelt or if its members are
     * outside it, because that is reported already.
     */
    public boolean lacks(String name) {
        return !has(name) && !isMeant(name);
    }

    /** Returns whether an unknown field was taken for {@code name} or for a member of it. */
    public boolean isMeant(String name) {
        return hints.stream().anyMatch(hint -> hint.startsWith(Suggestion.meant(name)) || hint.equals(belongsIn(name)));
    }

    /** Returns the hint for a field that belongs in another mapping. */
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

    /** Returns the position of the value of {@code name}, else that of the mapping. */
    public Position at(String name) {
        YamlNode node = node(name);
        return node == null ? at() : node.at();
    }

    /** Returns the position of the key {@code name}, else that of the mapping. */
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

    /** Returns the text as written, whatever type YAML would give it. */
    public @Nullable String text(String name) {
        Scalar scalar = scalar(name);
        return scalar == null ? null : scalar.text();
    }

    /** Returns the items of a list; empty if there is none. */
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

    /** Returns a whole number from {@code least} to {@code most}. */
    public @Nullable Long whole(String name, long least, long most) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return null;
        }
        String range = most == Long.MAX_VALUE ? " >= " + least : " from " + least + " to " + most;
        String expected = "expected: a whole number" + range;
        if (!scalar.plain()) {
            problems.error(scalar.at(), name + ": text in quotes", "expected: a whole number, without quotes");
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

    /** Returns a percentage from 0 to 100, in hundredths of a percent. */
    public @Nullable Integer percent(String name) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return null;
        }
        if (scalar.plain() && PERCENT.matcher(scalar.text()).matches()) {
            int hundredths = new BigDecimal(scalar.text()).movePointRight(2).intValueExact();
            if (hundredths <= ALL) {
                return hundredths;
            }
        }
        String expected = "expected: a percentage from 0 to 100, like 25 or 0.5";
        problems.error(scalar.at(), name + ": " + quote(scalar.text()), expected);
        return null;
    }

    /**
     * Returns a flag. The words of YAML 1.1 are accepted in its three ways of writing them, as envoyproxy/ratelimit
     * does.
     */
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

    /** Returns a duration in microseconds, more than 0. */
    public @Nullable Long duration(String name) {
        return duration(name, "s");
    }

    /** Returns a duration; for a number without a unit, the error suggests the unit {@code likely}. */
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
            problems.error(scalar.at(), name + ": " + quote(scalar.text()), "expected: more than 0");
        } catch (IllegalArgumentException e) {
            problems.error(scalar.at(), name + ": " + quote(scalar.text()), String.valueOf(e.getMessage()));
        }
        return null;
    }

    /** Returns one of {@code values}, written in lower case. */
    public <E extends Enum<E>> @Nullable E oneOf(String name, E[] values) {
        Scalar scalar = scalar(name);
        if (scalar == null) {
            return null;
        }
        List<String> names = Arrays.stream(values).map(Fields::nameOf).toList();
        int index = names.indexOf(scalar.text());
        if (index >= 0) {
            return values[index];
        }
        String hint = Suggestion.among(scalar.text(), names);
        problems.error(scalar.at(), "unknown " + name + " " + quote(scalar.text()), hint);
        return null;
    }

    /** Returns the name of an enum constant in a file. */
    public static String nameOf(Enum<?> value) {
        return value.toString().toLowerCase(Locale.ROOT);
    }
}

package dev.weir.rules.internal.quota;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the overrides of one quota, and reports every mistake with its position. */
public final class OverrideReader {
    private static final long MOST_REQUESTS = 1L << 32;
    private static final int LONGEST_DESCRIPTOR = 256;
    private static final List<String> FIELDS = List.of("descriptor", "requests_per_unit", "unit", "burst");

    private final DiagnosticCollector problems;
    private final List<String> known;
    private final Set<String> seen = new HashSet<>();

    /** Creates a reader for one quota whose overrides may have {@code others} as fields too, which the caller reads. */
    public OverrideReader(DiagnosticCollector problems, List<String> others) {
        this.problems = problems;
        List<String> all = new ArrayList<>(FIELDS);
        all.addAll(others);
        this.known = List.copyOf(all);
    }

    /** Reads the next override; null, with errors, if it is wrong. */
    public @Nullable WrittenOverride read(Fields fields) {
        int before = problems.errors();
        fields.allow(known, Map.of("requests", "did you mean requests_per_unit?", "window", "did you mean unit?"));
        String descriptor = descriptor(fields);
        Long requests = fields.whole("requests_per_unit", 0, MOST_REQUESTS);
        if (fields.lacks("requests_per_unit")) {
            problems.error(fields.at(), "requests_per_unit is missing", "expected: a whole number >= 0");
        }
        Long burst = fields.whole("burst", 1, MOST_REQUESTS);
        OverrideUnit unit = unit(fields);
        if (burst != null && unit != null && unit.calendar() != null) {
            problems.error(fields.at("burst"), "burst with " + unit.text(), "a window of the calendar has no burst");
        }
        if (problems.errors() > before || descriptor == null || requests == null || unit == null) {
            return null;
        }
        WrittenOverride override = new WrittenOverride(descriptor, requests, unit, burst);
        try {
            override.compiled();
        } catch (IllegalArgumentException e) {
            problems.error(fields.at("descriptor"), "descriptor " + quote(descriptor) + ": " + e.getMessage());
        }
        return override;
    }

    private @Nullable String descriptor(Fields fields) {
        String descriptor = fields.text("descriptor");
        if (descriptor == null || descriptor.isBlank()) {
            if (descriptor != null || fields.lacks("descriptor")) {
                String expected =
                        "expected: something like endpoint:POST /api/v1/orders, the name of a rule, or default";
                problems.error(fields.at("descriptor"), "descriptor is missing", expected);
            }
            return null;
        }
        if (descriptor.length() > LONGEST_DESCRIPTOR || descriptor.chars().anyMatch(Character::isISOControl)) {
            String expected = "expected: up to " + LONGEST_DESCRIPTOR + " characters on one line";
            problems.error(fields.at("descriptor"), "descriptor " + quote(descriptor), expected);
        }
        if (!seen.add(descriptor)) {
            problems.error(fields.at("descriptor"), "descriptor " + quote(descriptor) + " is used twice");
        }
        return descriptor;
    }

    private @Nullable OverrideUnit unit(Fields fields) {
        String text = fields.text("unit");
        OverrideUnit unit = text == null ? null : OverrideUnit.called(text);
        if (text == null && fields.lacks("unit")) {
            problems.error(fields.at("unit"), "unit is missing", "expected: " + String.join(", ", OverrideUnit.TEXTS));
        } else if (text != null && unit == null) {
            problems.error(
                    fields.at("unit"), "unknown unit " + quote(text), Suggestion.among(text, OverrideUnit.TEXTS));
        }
        return unit;
    }
}

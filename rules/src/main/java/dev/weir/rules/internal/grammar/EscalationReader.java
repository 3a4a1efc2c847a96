package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.Escalation;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code escalate}: when a rule bans callers that it denies again and again. */
final class EscalationReader {
    static final String NAME = "escalate";

    private static final List<String> FIELDS = List.of("after", "within", "ban", "factor", "max", "forget");
    private static final Map<String, String> OTHERS = Map.of(
            "denials", Suggestion.meant("after"),
            "window", Suggestion.meant("within"),
            "for", Suggestion.meant("ban"),
            "duration", Suggestion.meant("ban"));

    private static final long MINUTE = 60_000_000L;
    private static final long DAY = 24 * 60 * MINUTE;
    private static final long LONGEST = 30 * DAY;
    private static final int MOST_DENIALS = 100;
    private static final int MOST_FACTOR = 100;

    private EscalationReader() {}

    /** Reads the field of a rule that counts by {@code key}; null if there is none, or if it has errors. */
    static @Nullable Escalation read(Fields rule, KeyBy key) {
        YamlNode node = rule.node(NAME);
        DiagnosticCollector problems = rule.problems();
        Fields fields = node == null ? null : Fields.of(node, NAME, "{ after: 5, within: 10m, ban: 10m }", problems);
        if (fields == null) {
            return null;
        }
        int before = problems.errors();
        fields.allow(FIELDS, OTHERS);
        Long after = fields.whole("after", 1, MOST_DENIALS);
        long within = duration(fields, "within", 10 * MINUTE);
        long ban = duration(fields, "ban", 10 * MINUTE);
        Long factor = fields.whole("factor", 1, MOST_FACTOR);
        long max = duration(fields, "max", Math.max(DAY, ban));
        long forget = duration(fields, "forget", 7 * DAY);
        if (max < ban) {
            problems.error(
                    fields.at("max"), "max: " + Durations.text(max), "expected: at least ban, " + Durations.text(ban));
        }
        if (key.parts().size() != 1) {
            problems.error(
                    rule.nameAt(NAME),
                    "escalate on a rule that counts by " + (key.parts().isEmpty() ? "nothing" : "several attributes"),
                    "expected: key_by with one attribute, by which the caller is banned");
        }
        if (problems.errors() > before) {
            return null;
        }
        return new Escalation(
                after == null ? 5 : after.intValue(),
                within,
                ban,
                factor == null ? 2 : factor,
                max,
                forget,
                key.parts().get(0),
                key.ipv6Prefix());
    }

    private static long duration(Fields fields, String name, long otherwise) {
        Long micros = fields.duration(name, "m");
        if (micros == null) {
            return otherwise;
        }
        if (micros < 1_000_000 || micros > LONGEST) {
            fields.problems().error(fields.at(name), name + ": " + Durations.text(micros), "expected: from 1s to 30d");
        }
        return micros;
    }
}

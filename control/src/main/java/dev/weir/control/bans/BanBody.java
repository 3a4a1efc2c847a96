package dev.weir.control.bans;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.control.data.Times;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlReader;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry as a request body states it. Reading it reports every mistake with its position.
 *
 * @param untilMicros when it expires, microseconds since the epoch
 * @param reason why; null if the body gives none
 */
public record BanBody(
        BanKind kind,
        String attribute,
        String value,
        String domain,
        long untilMicros,
        @Nullable String reason) {
    private static final List<String> FIELDS =
            List.of("attribute", "value", "domain", "kind", "for", "expires_at", "reason");
    private static final Map<String, String> OTHERS = Map.of(
            "ttl", Suggestion.meant("for"),
            "duration", Suggestion.meant("for"),
            "until", Suggestion.meant("expires_at"));
    private static final List<String> KINDS = List.of("ban", "shadow", "allow");
    private static final int LONGEST_REASON = 200;

    /** Reads a body; null if {@code problems} has errors. */
    public static @Nullable BanBody read(byte[] bytes, Instant now, DiagnosticCollector problems) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (root == null) {
            if (problems.errors() == 0) {
                String expected = "expected: an object such as {\"attribute\": \"ip\", \"value\": \"192.0.2.1\"}";
                problems.error(new Position(1, 1), "the ban: empty", expected);
            }
            return null;
        }
        Fields fields = Fields.of(root, "the ban", problems);
        return fields == null ? null : read(fields, now, problems);
    }

    private static @Nullable BanBody read(Fields fields, Instant now, DiagnosticCollector problems) {
        fields.allow(FIELDS, OTHERS);
        String attribute = required(fields, "attribute", problems);
        String value = required(fields, "value", problems);
        String domain = fields.text("domain");
        BanKind kind = kind(fields, problems);
        long until = until(fields, now, problems);
        String reason = fields.text("reason");
        if (reason != null
                && (reason.length() > LONGEST_REASON || reason.chars().anyMatch(Character::isISOControl))) {
            String expected = "expected: up to " + LONGEST_REASON + " characters on one line";
            problems.error(fields.at("reason"), "reason", expected);
        }
        return problems.errors() > 0
                ? null
                : new BanBody(kind, attribute, value, domain == null ? "" : domain, until, reason);
    }

    private static String required(Fields fields, String name, DiagnosticCollector problems) {
        String text = fields.text(name);
        if (text == null && fields.lacks(name)) {
            problems.error(
                    fields.at(), name + " is missing", "expected: attribute and value, such as ip and 192.0.2.1");
        }
        return text == null ? "" : text;
    }

    private static BanKind kind(Fields fields, DiagnosticCollector problems) {
        String text = fields.text("kind");
        if (text == null) {
            return BanKind.BAN;
        }
        for (BanKind each : List.of(BanKind.BAN, BanKind.SHADOW, BanKind.ALLOW)) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        problems.error(fields.at("kind"), "unknown kind " + quote(text), Suggestion.among(text, KINDS));
        return BanKind.BAN;
    }

    private static long until(Fields fields, Instant now, DiagnosticCollector problems) {
        Long micros = fields.duration("for", "s");
        String time = fields.text("expires_at");
        if (micros != null && time != null) {
            problems.error(fields.at("expires_at"), "expires_at beside for", "remove one of them");
        }
        if (micros != null) {
            return ChronoUnit.MICROS.between(Instant.EPOCH, now) + micros;
        }
        if (time == null) {
            return Ban.FOREVER;
        }
        try {
            Instant until = Times.parse(time);
            if (until.isAfter(now)) {
                return ChronoUnit.MICROS.between(Instant.EPOCH, until);
            }
            problems.error(fields.at("expires_at"), "expires_at: " + quote(time), "expected: a time in the future");
        } catch (DateTimeException e) {
            String expected = "expected: a time such as 2027-02-01T00:00:00Z";
            problems.error(fields.at("expires_at"), "expires_at: " + quote(time), expected);
        }
        return Ban.FOREVER;
    }
}

package dev.weir.control.token;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.control.data.Times;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads token requests from request bodies, and reports every mistake with its position. */
public final class TokenBody {
    private static final List<String> ROLES =
            Arrays.stream(Role.values()).map(Role::text).toList();

    private TokenBody() {}

    /** A request to create a token. */
    public record Wanted(String name, Role role, @Nullable Instant expiresAt) {}

    /**
     * A request to rotate a token.
     *
     * @param grace how long the previous secret is still accepted; null if not given
     */
    public record Renewal(
            @Nullable Duration grace, @Nullable Instant expiresAt) {}

    /** Reads a request to create a token; null if {@code problems} has errors. */
    public static @Nullable Wanted wanted(byte[] bytes, Instant now, DiagnosticCollector problems) {
        Fields fields = fields(bytes, problems);
        if (fields == null) {
            return null;
        }
        fields.allow(List.of("name", "role", "expires_at", "expires_in"), Map.of());
        String name = fields.text("name");
        if (name == null) {
            problems.error(fields.at("name"), "name is missing", "expected: the holder's name for the audit log");
        }
        Role role = role(fields, problems);
        Instant expiresAt = expiry(fields, now, problems);
        return problems.errors() > 0 || name == null || role == null ? null : new Wanted(name, role, expiresAt);
    }

    /** Reads a request to rotate a token, which may be empty; null if {@code problems} has errors. */
    public static @Nullable Renewal renewal(byte[] bytes, Instant now, DiagnosticCollector problems) {
        if (bytes.length == 0) {
            return new Renewal(null, null);
        }
        Fields fields = fields(bytes, problems);
        if (fields == null) {
            return null;
        }
        fields.allow(List.of("grace", "expires_at", "expires_in"), Map.of());
        Renewal renewal = new Renewal(duration(fields, "grace", problems), expiry(fields, now, problems));
        return problems.errors() > 0 ? null : renewal;
    }

    private static @Nullable Fields fields(byte[] bytes, DiagnosticCollector problems) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (root == null) {
            if (problems.errors() == 0) {
                problems.error(new Position(1, 1), "the token: empty", "expected: an object of names and values");
            }
            return null;
        }
        return Fields.of(root, "the token", problems);
    }

    private static @Nullable Role role(Fields fields, DiagnosticCollector problems) {
        String text = fields.text("role");
        Role role = text == null ? null : Role.called(text);
        if (text == null) {
            problems.error(fields.at("role"), "role is missing", "expected: " + String.join(", ", ROLES));
        } else if (role == null) {
            problems.error(fields.at("role"), "unknown role " + quote(text), Suggestion.among(text, ROLES));
        }
        return role;
    }

    private static @Nullable Instant expiry(Fields fields, Instant now, DiagnosticCollector problems) {
        Scalar at = fields.scalar("expires_at");
        Duration in = duration(fields, "expires_in", problems);
        if (at != null && in != null) {
            problems.error(fields.at("expires_in"), "expires_in beside expires_at", "expected: one of them");
        }
        if (at != null) {
            return time(at, problems);
        }
        try {
            return in == null ? null : Times.of(now.plus(in));
        } catch (DateTimeException | ArithmeticException e) {
            problems.error(fields.at("expires_in"), "expires_in: too long", "expected: a duration such as 90d");
            return null;
        }
    }

    private static @Nullable Instant time(Scalar at, DiagnosticCollector problems) {
        try {
            return Times.parse(at.text());
        } catch (DateTimeException e) {
            problems.error(at.at(), "expires_at: " + quote(at.text()), "expected: a time like 2027-02-01T00:00:00Z");
            return null;
        }
    }

    private static @Nullable Duration duration(Fields fields, String name, DiagnosticCollector problems) {
        Scalar scalar = fields.scalar(name);
        if (scalar == null) {
            return null;
        }
        try {
            return Duration.of(Durations.micros(scalar.text()), ChronoUnit.MICROS);
        } catch (IllegalArgumentException e) {
            problems.error(
                    scalar.at(), name + ": " + quote(scalar.text()), "expected: a duration such as 1h, 90d or 0s");
            return null;
        }
    }
}

package dev.weir.control.quota;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.control.data.StoredVersion;
import dev.weir.control.data.Times;
import dev.weir.rules.internal.quota.OverrideReader;
import dev.weir.rules.internal.quota.WrittenOverride;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a quota from a request body, and reports every mistake with its position. */
public final class QuotaBody {
    private static final int MOST_OVERRIDES = 1_000;
    private static final StoredVersion NOT_YET = new StoredVersion(0, Instant.EPOCH, "");

    private final DiagnosticCollector problems;

    private QuotaBody(DiagnosticCollector problems) {
        this.problems = problems;
    }

    /**
     * Reads the quota of {@code apiKey}; null if {@code problems} has errors.
     *
     * @param tiers the known tiers; null if they are unknown and any tier is accepted
     */
    public static @Nullable StoredQuota read(
            String apiKey, byte[] bytes, @Nullable Collection<String> tiers, DiagnosticCollector problems) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (root == null) {
            if (problems.errors() == 0) {
                problems.error(new Position(1, 1), "the quota: empty", "expected: an object of names and values");
            }
            return null;
        }
        Fields fields = Fields.of(root, "the quota", problems);
        return fields == null ? null : new QuotaBody(problems).quota(apiKey, fields, tiers);
    }

    private @Nullable StoredQuota quota(String apiKey, Fields fields, @Nullable Collection<String> tiers) {
        fields.allow(
                List.of("tier", "overrides", "effective_at", "expires_at"),
                Map.of("override", "did you mean overrides?"));
        String tier = fields.text("tier");
        if (tier != null && tiers != null && !tiers.contains(tier)) {
            problems.error(fields.at("tier"), "unknown tier " + quote(tier), expected(tier, tiers));
        }
        List<StoredOverride> overrides = new ArrayList<>();
        OverrideReader reader = new OverrideReader(problems, List.of("effective_at", "expires_at"));
        List<YamlNode> written = fields.list("overrides");
        if (written.size() > MOST_OVERRIDES) {
            problems.error(
                    fields.at("overrides"), written.size() + " overrides", "expected: at most " + MOST_OVERRIDES);
        } else {
            for (YamlNode each : written) {
                Fields of = Fields.of(each, "override", problems);
                StoredOverride override = of == null ? null : override(of, reader);
                if (override != null) {
                    overrides.add(override);
                }
            }
        }
        Instant from = time(fields, "effective_at");
        Instant until = time(fields, "expires_at");
        order(fields, from, until);
        if (tier == null && written.isEmpty() && problems.errors() == 0) {
            problems.error(
                    fields.at(),
                    "neither tier nor overrides",
                    "expected: one of them, or both; DELETE removes a quota");
        }
        return problems.errors() > 0 ? null : new StoredQuota(apiKey, tier, overrides, from, until, NOT_YET);
    }

    private static String expected(String tier, Collection<String> tiers) {
        if (tiers.isEmpty()) {
            return "expected: a tier that a rule names, but none does: add it to tiers in the rules";
        }
        String meant = Suggestion.nearest(tier, tiers);
        return (meant == null ? "" : Suggestion.meant(meant) + " ") + "expected: " + String.join(" or ", tiers);
    }

    private @Nullable StoredOverride override(Fields fields, OverrideReader reader) {
        int before = problems.errors();
        WrittenOverride written = reader.read(fields);
        Instant from = time(fields, "effective_at");
        Instant until = time(fields, "expires_at");
        order(fields, from, until);
        return written == null || problems.errors() > before
                ? null
                : new StoredOverride(
                        written.descriptor(), written.requestsPerUnit(), written.unit(), written.burst(), from, until);
    }

    private @Nullable Instant time(Fields fields, String name) {
        Scalar scalar = fields.scalar(name);
        if (scalar == null) {
            return null;
        }
        try {
            return Times.parse(scalar.text());
        } catch (DateTimeException e) {
            problems.error(
                    scalar.at(), name + ": " + quote(scalar.text()), "expected: a time like 2025-02-01T00:00:00Z");
            return null;
        }
    }

    private void order(Fields fields, @Nullable Instant from, @Nullable Instant until) {
        if (from != null && until != null && !from.isBefore(until)) {
            problems.error(fields.at("expires_at"), "expires_at: " + until, "expected: after effective_at, " + from);
        }
    }
}

package dev.weir.testing.internal.policy;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.quota.OverrideReader;
import dev.weir.rules.internal.quota.WrittenOverride;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the quota of one caller: a tier, and overrides as the control plane takes them. */
final class QuotaReader {
    private final WrittenRules rules;
    private final DiagnosticCollector problems;

    QuotaReader(WrittenRules rules, DiagnosticCollector problems) {
        this.rules = rules;
        this.problems = problems;
    }

    CallerOverrides read(YamlNode node) {
        List<LimitOverride> overrides = new ArrayList<>();
        Fields fields = Fields.of(node, "a quota", "{ tier: pro }", problems);
        if (fields == null) {
            return new CallerOverrides(null, overrides);
        }
        fields.allow(List.of("tier", "overrides"), Map.of());
        String tier = fields.text("tier");
        if (tier != null && !rules.tiers().isEmpty() && !rules.tiers().contains(tier)) {
            problems.error(fields.at("tier"), "unknown tier " + quote(tier), Suggestion.among(tier, rules.tiers()));
        }
        OverrideReader reader = new OverrideReader(problems, List.of());
        for (YamlNode each : fields.list("overrides")) {
            Fields of = Fields.of(each, "override", problems);
            WrittenOverride override = of == null ? null : reader.read(of);
            if (override != null) {
                overrides.add(override.compiled());
            }
        }
        return new CallerOverrides(tier, overrides);
    }
}

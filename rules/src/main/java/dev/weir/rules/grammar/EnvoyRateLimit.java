package dev.weir.rules.grammar;

import static dev.weir.rules.diagnostics.Text.quote;

import dev.weir.model.Algorithm;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.model.RuleBuilder;
import dev.weir.rules.diagnostics.Problems;
import dev.weir.rules.diagnostics.Suggestion;
import dev.weir.rules.grammar.RuleFile.Placed;
import dev.weir.rules.yaml.YamlNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code rate_limit} of a descriptor in Envoy's spelling, and the flags beside it, into a rule. */
final class EnvoyRateLimit {
    private static final List<String> METRICS = List.of("detailed_metric", "value_to_metric");
    private static final long UINT32 = 0xFFFF_FFFFL;

    private final Problems problems;
    private final StoreNames stores;
    private final List<Placed<String>> replaced = new ArrayList<>();

    EnvoyRateLimit(Problems problems, StoreNames stores) {
        this.stores = stores;
        this.problems = problems;
    }

    /** The names that the rules read so far replace. */
    List<Placed<String>> replaced() {
        return replaced;
    }

    /** The rule of {@code descriptor}, or null if it has none, or a wrong one. */
    @Nullable
    Rule read(Fields descriptor, String domain, String path, String label) {
        boolean shadow = descriptor.flag("shadow_mode", false);
        boolean quota = descriptor.flag("quota_mode", false);
        for (String each : METRICS) {
            if (descriptor.flag(each, false)) {
                String hint = "Weir keeps one time series a rule: callers can not make new ones";
                problems.warning(descriptor.nameAt(each), each + " has no effect", hint);
            }
        }
        YamlNode node = descriptor.node("rate_limit");
        Fields fields = node == null ? null : Fields.of(node, "rate_limit", problems);
        if (fields == null) {
            idle(descriptor);
            return null;
        }
        Integer rollout = fields.percent("rollout");
        if (shadow && rollout != null) {
            String hint = "a rule in shadow denies nobody: remove one of them";
            problems.error(fields.nameAt("rollout"), "rollout beside shadow_mode", hint);
        }
        return rule(descriptor, fields, domain, path, label)
                .rollout(rollout == null ? Rule.EVERYONE : rollout)
                .source(problems.place(fields.at()))
                .shadow(shadow)
                .quota(quota)
                .build();
    }

    private RuleBuilder rule(Fields descriptor, Fields fields, String domain, String path, String label) {
        EnvoyFields.allow(fields, EnvoyFields.RATE_LIMIT);
        Algorithm algorithm = Limits.algorithm(fields, Algorithm.FIXED_WINDOW);
        boolean unlimited = fields.flag("unlimited", false);
        String unit = fields.text("unit");
        Unit window = unit(fields, unit, unlimited);
        Long requests = fields.whole("requests_per_unit", 0, UINT32);
        if (requests == null && !unlimited && !fields.has("requests_per_unit")) {
            problems.warning(
                    fields.at(), "no requests_per_unit: always over its limit", "0 is what the reference takes");
            requests = 0L;
        }
        String unitName = window == null ? "unlimited" : window.spelling();
        RuleBuilder rule =
                Rule.builder(domain, Identity.envoy(path, unitName, algorithm)).label(label);
        Limit limit = null;
        if (!unlimited) {
            limit = Limits.finish(fields, algorithm, requests, window == null ? null : window.micros(), 1);
            if (limit != null) {
                rule.limit(limit);
            }
        }
        String name = fields.text("name");
        rule.name(name == null ? "" : name).replaces(replaces(fields, name));
        rule.countsDenied(algorithm == Algorithm.FIXED_WINDOW).metadata(Metadata.read(descriptor));
        Behaviour behaviour = Behaviour.DEFAULT.with(fields, stores);
        behaviour.check(fields, limit, descriptor.flag("quota_mode", false));
        return behaviour.applyTo(rule);
    }

    private @Nullable Unit unit(Fields fields, @Nullable String text, boolean unlimited) {
        if (unlimited) {
            if (text != null && Unit.called(text) != null) {
                problems.error(fields.at("unit"), "unit beside unlimited", "remove one of them");
            } else if (text != null && !text.isEmpty()) {
                problems.warning(fields.nameAt("unit"), "unit has no effect beside unlimited", "remove it");
            }
            return null;
        }
        if (text == null || text.isEmpty()) {
            problems.error(fields.at("unit"), "unit is missing", "expected: " + String.join(", ", Unit.SPELLINGS));
            return null;
        }
        Unit unit = Unit.called(text);
        if (unit == null) {
            problems.error(fields.at("unit"), "unknown unit " + quote(text), Suggestion.among(text, Unit.SPELLINGS));
        }
        return unit;
    }

    private List<String> replaces(Fields fields, @Nullable String own) {
        List<String> names = new ArrayList<>();
        for (YamlNode each : fields.list("replaces")) {
            Fields entry = Fields.of(each, "replaces", problems);
            if (entry == null) {
                continue;
            }
            EnvoyFields.allow(entry, EnvoyFields.REPLACES);
            String name = entry.text("name");
            if (name == null || name.isEmpty()) {
                problems.error(
                        entry.at("name"), "replaces a rule without a name", "expected: the name of another rule");
            } else if (name.equals(own)) {
                problems.error(entry.at("name"), "rule " + quote(name) + " replaces itself");
            } else {
                names.add(name);
                replaced.add(new Placed<>(name, entry.at("name")));
            }
        }
        return names;
    }

    private void idle(Fields descriptor) {
        for (String each : List.of("shadow_mode", "quota_mode", "metadata")) {
            if (descriptor.has(each)) {
                problems.warning(descriptor.nameAt(each), each + " has no effect without a rate_limit", "");
            }
        }
    }
}

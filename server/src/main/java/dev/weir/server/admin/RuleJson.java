package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Limit;
import dev.weir.control.data.Json;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.rules.RuleLayers;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.SwitchChange;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.grammar.SingleRule;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.rules.RulesInForce;
import dev.weir.text.yaml.YamlNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes a rule as JSON: one of the database as it was written there, any other as it is in force. */
final class RuleJson {
    private final RulesInForce rules;
    private final OptionalControlPlane control;
    private final LoadOptions options;

    RuleJson(RulesInForce rules, OptionalControlPlane control, LoadOptions options) {
        this.rules = rules;
        this.control = control;
        this.options = options;
    }

    /** The id of a rule that is not in the database. */
    static String idOf(Rule rule) {
        return rule.name().isEmpty() ? rule.id() : rule.name();
    }

    static String status(SingleRule rule) {
        if (rule.rule() == null) {
            return "disabled";
        }
        return rule.rule().rule().shadow() ? "shadow" : "active";
    }

    void write(JsonGenerator out, StoredRule rule) throws IOException {
        SingleRule read = SingleRule.read(
                "database", rule.id(), rule.body().getBytes(StandardCharsets.UTF_8), rule.domain(), options.stores());
        out.writeStartObject();
        out.writeStringField("rule_id", rule.id());
        out.writeStringField("status", status(read));
        switched(out, rule.domain(), rule.id(), rule.id());
        out.writeStringField("domain", rule.domain());
        YamlNode.Mapping body = read.body();
        if (body != null) {
            Json.members(out, body);
        }
        out.writeStringField("source", "database");
        Rule replaced = replaced(rule);
        if (replaced != null) {
            out.writeStringField("hides", replaced.source());
        }
        StoredVersion stored = rule.stored();
        out.writeNumberField("version", stored.version());
        out.writeStringField("updated_at", stored.at().toString());
        out.writeStringField("updated_by", stored.by());
        out.writeEndObject();
    }

    private @Nullable Rule replaced(StoredRule rule) {
        for (Rule each : rules.below().get().rules().rules()) {
            if (each.domain().equals(rule.domain()) && each.id().equals(rule.id())) {
                return each;
            }
        }
        return null;
    }

    void write(JsonGenerator out, Rule rule) throws IOException {
        RuleLayers below = rules.below().get();
        out.writeStartObject();
        out.writeStringField("rule_id", idOf(rule));
        out.writeStringField("status", rule.shadow() ? "shadow" : "active");
        switched(out, rule.domain(), rule.id(), rule.name());
        out.writeStringField("domain", rule.domain());
        out.writeStringField("label", rule.label());
        out.writeStringField("scope", below.rules().scopeOf(rule));
        Limit limit = rule.limit();
        if (limit != null) {
            out.writeObjectFieldStart("limit");
            out.writeNumberField("requests", limit.requests());
            out.writeStringField("window", WindowText.of(limit));
            out.writeStringField("algorithm", limit.algorithm().text());
            out.writeNumberField("burst", limit.burst());
            out.writeEndObject();
        }
        out.writeStringField("source", rule.source());
        String hidden = below.hiddenBy(rule);
        if (hidden != null) {
            out.writeStringField("hides", hidden);
        }
        out.writeEndObject();
    }

    /** Writes the switch of the rule, if one is set. */
    private void switched(JsonGenerator out, String domain, String id, String name) throws IOException {
        for (SwitchChange each : control.switches()) {
            String rule = each.name().rule();
            if (each.name().domain().equals(domain) && (rule.equals(id) || rule.equals(name))) {
                out.writeStringField("switched", each.state());
                return;
            }
        }
    }
}

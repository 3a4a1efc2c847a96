package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.control.data.Json;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.rules.RuleLayers;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.SwitchChange;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.grammar.RuleWriter;
import dev.weir.rules.internal.grammar.SingleRule;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.counters.WindowText;
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

    static String status(SingleRule rule) {
        if (rule.rule() == null) {
            return "disabled";
        }
        return rule.rule().rule().shadow() ? "shadow" : "active";
    }

    void write(JsonGenerator out, StoredRule rule) throws IOException {
        SingleRule read = SingleRule.read(
                "database",
                rule.id(),
                rule.body().getBytes(StandardCharsets.UTF_8),
                rule.domain(),
                options.names(),
                options.endpointForm());
        out.writeStartObject();
        out.writeStringField("rule_id", rule.id());
        out.writeStringField("status", status(read));
        switched(out, rule.domain(), rule.id(), rule.id());
        out.writeStringField("domain", rule.domain());
        YamlNode.Mapping body = read.body();
        if (body != null) {
            Json.members(out, body);
        }
        WeirRule parsed = read.rule();
        if (parsed != null) {
            summary(out, parsed);
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
        out.writeStringField("rule_id", rule.label());
        out.writeStringField("status", rule.shadow() ? "shadow" : "active");
        switched(out, rule.domain(), rule.id(), rule.name());
        out.writeStringField("domain", rule.domain());
        out.writeStringField("label", rule.label());
        String scope = below.rules().scopeOf(rule);
        out.writeStringField("applies_to", scope);
        WeirRule written = below.rules().weirRule(rule);
        if (written != null) {
            Json.members(out, RuleWriter.write(written));
            summary(out, written);
        } else {
            envoy(out, rule);
            summary(out, rule.limit(), scope.isEmpty() ? "everything" : scope, "its descriptor");
        }
        out.writeStringField("source", rule.source());
        String hidden = below.hiddenBy(rule);
        if (hidden != null) {
            out.writeStringField("hides", hidden);
        }
        out.writeEndObject();
    }

    /** Writes the limit of a rule in Envoy's format. Nobody can put it back: it is one leaf of a tree. */
    private static void envoy(JsonGenerator out, Rule rule) throws IOException {
        if (!rule.id().equals(rule.label())) {
            out.writeStringField("id", rule.id());
        }
        Limit limit = rule.limit();
        if (limit != null) {
            out.writeObjectFieldStart("limit");
            out.writeNumberField("requests", limit.requests());
            out.writeStringField("window", WindowText.of(limit));
            out.writeStringField("algorithm", limit.algorithm().text());
            out.writeNumberField("burst", limit.burst());
            if (limit.credit() > 0) {
                out.writeNumberField("burst_credit", limit.credit());
            }
            out.writeEndObject();
        }
    }

    private static void summary(JsonGenerator out, WeirRule rule) throws IOException {
        String key = RuleWriter.keyText(rule);
        summary(out, rule.rule().limit(), RuleWriter.matchText(rule), key.isEmpty() ? "all together" : key);
    }

    /** Writes one line for each column of a table, alike for all formats and sources. */
    private static void summary(JsonGenerator out, @Nullable Limit limit, String match, String key) throws IOException {
        out.writeObjectFieldStart("summary");
        out.writeStringField("limit", limit == null ? "unlimited" : limitText(limit));
        out.writeStringField(
                "algorithm", limit == null ? null : limit.algorithm().text());
        out.writeStringField("match", match);
        out.writeStringField("key", key);
        out.writeEndObject();
    }

    private static String limitText(Limit limit) {
        if (limit.algorithm() == Algorithm.CONCURRENCY) {
            return limit.requests() + " at once";
        }
        boolean bursts = limit.algorithm().isBucket() && limit.burst() != limit.requests();
        return limit.requests() + " per " + WindowText.of(limit) + (bursts ? ", burst " + limit.burst() : "")
                + (limit.credit() > 0 ? ", credit " + limit.credit() : "");
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

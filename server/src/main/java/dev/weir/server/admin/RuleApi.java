package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.Change;
import dev.weir.control.ControlPlane;
import dev.weir.control.Precondition;
import dev.weir.control.RefusedException;
import dev.weir.control.data.Json;
import dev.weir.control.data.Stored;
import dev.weir.control.rules.Layers;
import dev.weir.control.rules.RuleLayer;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.Switch;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.rules.LoadOptions;
import dev.weir.rules.RuleLoader;
import dev.weir.rules.SingleRule;
import dev.weir.rules.diagnostics.Diagnostic;
import dev.weir.rules.diagnostics.Position;
import dev.weir.rules.diagnostics.Problems;
import dev.weir.rules.grammar.Durations;
import dev.weir.rules.yaml.YamlNode;
import dev.weir.rules.yaml.YamlReader;
import dev.weir.server.http.Answer;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.http.RestException;
import dev.weir.server.http.Texts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rules: those of the database are written and deleted here, those of files and other sources are shown beside them. */
final class RuleApi {
    private static final int LONGEST_ID = 200;
    private static final String DEFAULT_DOMAIN = "default";

    private final RulesInForce rules;
    private final Control control;
    private final LoadOptions options;

    RuleApi(RulesInForce rules, Control control, LoadOptions options) {
        this.rules = rules;
        this.control = control;
        this.options = options;
    }

    /** {@code PUT /v1/ratelimit/config/{rule_id}}. */
    Answer put(AdminCall call, byte[] body) {
        return write(call, call.path("rule_id", LONGEST_ID), body, call.precondition(), 200);
    }

    /** {@code POST /ratelimit/rules}: the rule's name is in the body, and must be new. */
    Answer create(AdminCall call, byte[] body) {
        return write(call, name(body), body, new Precondition.Absent(), 201);
    }

    private static String name(byte[] body) {
        Problems problems = new Problems("body");
        YamlNode root = YamlReader.read(body, problems);
        if (problems.errors() == 0 && root instanceof YamlNode.Mapping mapping) {
            YamlNode.Entry entry = mapping.entry("name");
            if (entry != null
                    && entry.value() instanceof YamlNode.Scalar name
                    && !name.text().isBlank()) {
                return name.text();
            }
            problems.error(mapping.at(), "name is missing", "expected: the name of the rule");
        } else if (problems.errors() == 0) {
            problems.error(new Position(1, 1), "no object", "expected: an object of names and values");
        }
        throw refused(problems.all());
    }

    private Answer write(AdminCall call, String id, byte[] body, Precondition precondition, int status) {
        ControlPlane plane = control.required();
        SingleRule given = read(id, body, domain());
        YamlNode.Mapping node = given.body();
        String json = node == null ? "{}" : Json.text(out -> Json.write(out, node));
        // What is kept is JSON, whatever was sent; it has to mean the same.
        SingleRule kept = read(id, json.getBytes(StandardCharsets.UTF_8), given.domain());
        Change change = plane.putRule(call.author(), id, given.domain(), json, precondition, call.dryRun());
        if (call.dryRun()) {
            return dryRun(change, kept.warnings());
        }
        byte[] answer = JsonOutput.bytes(out -> {
            out.writeStartObject();
            out.writeStringField("rule_id", id);
            out.writeStringField("status", status(kept));
            warnings(out, given.warnings());
            out.writeEndObject();
        });
        return new Answer(status, Answer.JSON, answer, List.of()).with("ETag", tag(change.version()));
    }

    private SingleRule read(String id, byte[] body, String domain) {
        SingleRule rule = RuleLoader.rule("body", id, body, domain, options);
        if (!rule.errors().isEmpty()) {
            throw refused(rule.errors());
        }
        return rule;
    }

    private static RefusedException refused(List<Diagnostic> errors) {
        List<String> lines = errors.stream().map(Diagnostic::toString).toList();
        String first = lines.isEmpty() ? "the rule cannot be read" : lines.get(0);
        String more = lines.size() > 1 ? " (and " + (lines.size() - 1) + " more)" : "";
        return new RefusedException(RefusedException.Cause.INVALID, first + more, lines);
    }

    private static String status(SingleRule rule) {
        if (rule.rule() == null) {
            return "disabled";
        }
        return rule.rule().rule().shadow() ? "shadow" : "active";
    }

    /** The domain of a rule that names none: the only one there is. */
    private String domain() {
        List<String> domains = rules.all().get().domains();
        return domains.size() == 1 ? domains.get(0) : DEFAULT_DOMAIN;
    }

    /** {@code DELETE /v1/ratelimit/config/{rule_id}}. */
    Answer delete(AdminCall call) {
        String id = call.path("rule_id", LONGEST_ID);
        Change change = control.required().deleteRule(call.author(), id, call.precondition(), call.dryRun());
        return call.dryRun()
                ? dryRun(change, List.of())
                : new Answer(204, Answer.JSON, new byte[0], List.of("ETag", tag(change.version())));
    }

    /** {@code GET /v1/ratelimit/config/{rule_id}}. */
    Answer get(AdminCall call) {
        String id = call.path("rule_id", LONGEST_ID);
        RuleLayer layer = control.rules();
        StoredRule stored = layer.rule(id);
        if (stored != null) {
            return new Answer(200, Answer.JSON, JsonOutput.bytes(out -> write(out, stored)), List.of())
                    .with("ETag", tag(stored.stored().version()));
        }
        String domain = call.query("domain");
        for (Rule each : rules.below().get().rules().rules()) {
            if ((domain == null || domain.equals(each.domain())) && id.equals(idOf(each))) {
                return new Answer(200, Answer.JSON, JsonOutput.bytes(out -> write(out, each)), List.of());
            }
        }
        throw RestException.notFound("rule_id: " + Texts.shown(id) + " (expected: the id of a rule)");
    }

    /** {@code GET /v1/ratelimit/config}: every rule, by domain and id. */
    Answer list(AdminCall call) {
        int size = call.pageSize();
        String domain = call.query("domain");
        RuleLayer layer = control.rules();
        TreeMap<String, Json.Writing> all = new TreeMap<>();
        for (Rule each : rules.below().get().rules().rules()) {
            all.put(each.domain() + "/" + idOf(each), out -> write(out, each));
        }
        for (StoredRule each : layer.rules()) {
            all.put(each.domain() + "/" + each.id(), out -> write(out, each));
        }
        if (domain != null) {
            all.keySet().removeIf(each -> !each.startsWith(domain + "/"));
        }
        return page(all.tailMap(call.after(), false), size, "rules");
    }

    /** A page of things by their keys; {@code next} is where the next one begins, null after the last. */
    static Answer page(Map<String, Json.Writing> left, int size, String what) {
        return new Answer(
                200,
                Answer.JSON,
                JsonOutput.bytes(out -> {
                    String last = null;
                    int count = 0;
                    out.writeStartObject();
                    out.writeArrayFieldStart(what);
                    for (Map.Entry<String, Json.Writing> each : left.entrySet()) {
                        if (count++ == size) {
                            break;
                        }
                        each.getValue().to(out);
                        last = each.getKey();
                    }
                    out.writeEndArray();
                    out.writeStringField("next", count > size ? last : null);
                    out.writeEndObject();
                }),
                List.of());
    }

    private static String idOf(Rule rule) {
        return rule.name().isEmpty() ? rule.id() : rule.name();
    }

    private void write(JsonGenerator out, StoredRule rule) throws IOException {
        SingleRule read = RuleLoader.rule(
                "database", rule.id(), rule.body().getBytes(StandardCharsets.UTF_8), rule.domain(), options);
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
        Stored stored = rule.stored();
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

    private void write(JsonGenerator out, Rule rule) throws IOException {
        Layers below = rules.below().get();
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
            out.writeStringField("window", Durations.text(limit.windowMicros()));
            out.writeStringField("algorithm", limit.algorithm().spelling());
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

    /** What goes over the status, where somebody has switched the rule. */
    private void switched(JsonGenerator out, String domain, String id, String name) throws IOException {
        for (Switch each : control.switches()) {
            String rule = each.name().rule();
            if (each.name().domain().equals(domain) && (rule.equals(id) || rule.equals(name))) {
                out.writeStringField("switched", each.state());
                return;
            }
        }
    }

    /** What a change would do. */
    static Answer dryRun(Change change, List<Diagnostic> warnings) {
        return new Answer(
                200,
                Answer.JSON,
                JsonOutput.bytes(out -> {
                    out.writeStartObject();
                    out.writeBooleanField("dry_run", true);
                    out.writeStringField(
                            "change",
                            change.before() == null ? "create" : change.after() == null ? "delete" : "update");
                    out.writeFieldName("before");
                    out.writeRawValue(change.before() == null ? "null" : change.before());
                    out.writeFieldName("after");
                    out.writeRawValue(change.after() == null ? "null" : change.after());
                    warnings(out, warnings);
                    out.writeEndObject();
                }),
                List.of());
    }

    private static void warnings(JsonGenerator out, List<Diagnostic> warnings) throws IOException {
        if (!warnings.isEmpty()) {
            out.writeArrayFieldStart("warnings");
            for (Diagnostic each : warnings) {
                out.writeString(each.toString());
            }
            out.writeEndArray();
        }
    }

    static String tag(long version) {
        return "\"" + version + "\"";
    }
}

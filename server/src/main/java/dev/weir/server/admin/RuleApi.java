package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.ControlPlane;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.Json;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.SwitchName;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.grammar.RuleWriter;
import dev.weir.rules.internal.grammar.SingleRule;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.request.UnknownNames;
import dev.weir.server.rules.RulesInForce;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Shows all rules, and writes and deletes those of the database. */
final class RuleApi {
    private static final int MAX_ID_LENGTH = 200;
    private static final String DEFAULT_DOMAIN = "default";

    private final RulesInForce rules;
    private final OptionalControlPlane control;
    private final LoadOptions options;
    private final RuleJson json;

    RuleApi(RulesInForce rules, OptionalControlPlane control, LoadOptions options) {
        this.rules = rules;
        this.control = control;
        this.options = options;
        this.json = new RuleJson(rules, control, options);
    }

    /** {@code PUT /v1/ratelimit/config/{rule_id}}. */
    HttpAnswer put(AdminCall call, byte[] body) {
        return write(call, call.path("rule_id", MAX_ID_LENGTH), body, call.precondition(), 200);
    }

    /** {@code POST /ratelimit/rules}: the body has the rule's name, which must be new. */
    HttpAnswer create(AdminCall call, byte[] body) {
        return write(call, name(body), body, new Precondition.Absent(), 201);
    }

    private static String name(byte[] body) {
        DiagnosticCollector problems = new DiagnosticCollector("body");
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
            problems.error(new Position(1, 1), "not an object", "expected: an object of names and values");
        }
        throw ChangeRefusedException.invalid(problems.all());
    }

    /** A rule as it is stored: JSON, whatever was sent, which means the same. */
    record Body(String domain, String text, SingleRule given, SingleRule kept) {}

    /**
     * Reads the rule {@code id} of the database.
     *
     * @throws ChangeRefusedException if it has errors, or cannot override what has its name
     */
    Body body(String id, byte[] body) {
        SingleRule given = read(id, body, domain());
        YamlNode.Mapping node = given.body();
        String text = node == null ? "{}" : Json.text(out -> Json.write(out, node));
        SingleRule kept = read(id, text.getBytes(StandardCharsets.UTF_8), given.domain());
        requireOverridable(below(given.domain(), id), id);
        return new Body(given.domain(), text, given, kept);
    }

    private HttpAnswer write(AdminCall call, String id, byte[] body, Precondition precondition, int status) {
        ControlPlane plane = control.required();
        Body read = body(id, body);
        SingleRule given = read.given();
        SingleRule kept = read.kept();
        String text = read.text();
        Rule below = below(given.domain(), id);
        StoredRule before = control.rules().rule(id);
        Change change = plane.putRule(call.author(), id, given.domain(), text, precondition, call.dryRun());
        if (call.dryRun()) {
            return AdminAnswer.dryRun(change, kept.warnings(), out -> effect(out, before, below, kept));
        }
        return AdminAnswer.versioned(status, change.version(), out -> {
            out.writeStartObject();
            out.writeStringField("rule_id", id);
            out.writeStringField("status", RuleJson.status(kept));
            AdminAnswer.warnings(out, given.warnings());
            if (!plane.ruleProblems().isEmpty()) {
                out.writeStringField(
                        "problem",
                        "stored, but not in force on this server, on which the rules of the database do not load:\n"
                                + plane.ruleProblems());
            }
            out.writeEndObject();
        });
    }

    /** The rule of {@code domain} below the database that people know as {@code id}. */
    private @Nullable Rule below(String domain, String id) {
        Rule found = null;
        for (Rule each : rules.below().get().rules().rules()) {
            if (each.domain().equals(domain)
                    && (each.id().equals(id) || each.label().equals(id))) {
                found = found == null || each.id().equals(id) ? each : found;
            }
        }
        return found;
    }

    /** Refuses to add a second rule beside one that has the same label but cannot be overridden. */
    private static void requireOverridable(@Nullable Rule below, String id) {
        if (below != null && below.name().isEmpty()) {
            throw ChangeRefusedException.invalid(List.of("rule_id: " + CallerText.shown(id) + " has no name in "
                    + below.source() + ", so the database cannot override it (change it there, or give it a name)"));
        }
    }

    /** Writes what would change for requests: the rule in force now, from whatever source, and the rule then. */
    private void effect(JsonGenerator out, @Nullable StoredRule stored, @Nullable Rule below, SingleRule after)
            throws IOException {
        out.writeObjectFieldStart("effect");
        out.writeStringField("source", stored != null ? "database" : below == null ? null : below.source());
        if (stored != null) {
            byte[] body = stored.body().getBytes(StandardCharsets.UTF_8);
            SingleRule before = SingleRule.read(
                    "database", stored.id(), body, stored.domain(), options.names(), options.endpointForm());
            rule(out, "before", stored.domain(), before.rule());
        } else if (below != null) {
            rule(out, "before", below.domain(), rules.below().get().rules().weirRule(below));
        } else {
            out.writeNullField("before");
        }
        rule(out, "after", after.domain(), after.rule());
        out.writeEndObject();
    }

    private static void rule(JsonGenerator out, String member, String domain, @Nullable WeirRule rule)
            throws IOException {
        out.writeObjectFieldStart(member);
        out.writeStringField("domain", domain);
        Json.members(out, RuleWriter.write(rule));
        out.writeEndObject();
    }

    private SingleRule read(String id, byte[] body, String domain) {
        SingleRule rule = SingleRule.read("body", id, body, domain, options.names(), options.endpointForm());
        if (!rule.errors().isEmpty()) {
            throw ChangeRefusedException.invalid(rule.errors());
        }
        return rule;
    }

    /** The domain of a rule that names none: the only domain, if there is one. */
    private String domain() {
        List<String> domains = rules.all().get().domains();
        return domains.size() == 1 ? domains.get(0) : DEFAULT_DOMAIN;
    }

    /** {@code DELETE /v1/ratelimit/config/{rule_id}}. */
    HttpAnswer delete(AdminCall call) {
        String id = call.path("rule_id", MAX_ID_LENGTH);
        return AdminAnswer.deleted(
                call, control.required().deleteRule(call.author(), id, call.precondition(), call.dryRun()));
    }

    /** {@code GET /v1/ratelimit/config/{rule_id}}. */
    HttpAnswer get(AdminCall call) {
        String id = call.path("rule_id", MAX_ID_LENGTH);
        StoredRule stored = control.rules().rule(id);
        if (stored != null) {
            return AdminAnswer.versioned(200, stored.stored().version(), out -> json.write(out, stored));
        }
        String domain = call.query("domain");
        for (Rule each : rules.below().get().rules().rules()) {
            if ((domain == null || domain.equals(each.domain())) && (id.equals(each.id()) || id.equals(each.label()))) {
                return AdminAnswer.json(200, out -> json.write(out, each));
            }
        }
        throw HttpProblemException.notFound(
                UnknownNames.rule(id, rules.all().get().rules()));
    }

    /** {@code GET /v1/ratelimit/config}: every rule, by domain and id. */
    HttpAnswer list(AdminCall call) {
        int size = call.pageSize();
        String domain = call.query("domain");
        TreeMap<String, Json.Writing> all = new TreeMap<>();
        for (Rule each : rules.below().get().rules().rules()) {
            if (domain == null || domain.equals(each.domain())) {
                all.put(key(each.domain(), each.id()), out -> json.write(out, each));
            }
        }
        for (StoredRule each : control.rules().rules()) {
            if (domain == null || domain.equals(each.domain())) {
                all.put(key(each.domain(), each.id()), out -> json.write(out, each));
            }
        }
        return AdminAnswer.page(all.tailMap(call.after(), false), size, "rules");
    }

    /** A key that is unique for every rule, even if a domain or an id contains a slash. */
    private static String key(String domain, String id) {
        return new SwitchName(domain, id).id();
    }
}

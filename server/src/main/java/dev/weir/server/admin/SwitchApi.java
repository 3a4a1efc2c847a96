package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.audit.Author;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.Json;
import dev.weir.control.switches.SwitchBody;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchName;
import dev.weir.control.switches.Switches;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.request.UnknownNames;
import dev.weir.server.rules.RulesInForce;
import dev.weir.text.diagnostics.DiagnosticCollector;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Switches rules, or all rules, on, off or into shadow. */
final class SwitchApi {
    private static final int MAX_RULE_LENGTH = 250;

    private final RulesInForce rules;
    private final OptionalControlPlane control;

    SwitchApi(RulesInForce rules, OptionalControlPlane control) {
        this.rules = rules;
        this.control = control;
    }

    /** {@code GET /admin/v1/switches}: the switches that are set, by domain and rule. */
    HttpAnswer list(AdminCall call) {
        TreeMap<String, Json.Writing> all = new TreeMap<>();
        for (SwitchChange each : control.switches()) {
            all.put(each.name().id(), out -> write(out, each, null));
        }
        return AdminAnswer.page(all.tailMap(call.after(), false), call.pageSize(), "switches");
    }

    /** {@code GET /admin/v1/switches/{rule}}. */
    HttpAnswer get(AdminCall call) {
        SwitchName name = name(call, false);
        for (SwitchChange each : control.switches()) {
            if (each.name().equals(name)) {
                return answer(each, null);
            }
        }
        throw HttpProblemException.notFound("rule: " + CallerText.shown(name.rule())
                + " is not switched (GET /admin/v1/switches lists the switches)");
    }

    /** {@code PUT /admin/v1/switches/{rule}}. */
    HttpAnswer put(AdminCall call, byte[] body) {
        Switches switches = control.requiredForSwitches().switches();
        SwitchName name = name(call, true);
        DiagnosticCollector problems = new DiagnosticCollector("body");
        SwitchBody read = SwitchBody.read(body, name.isEverything(), problems);
        if (read == null) {
            throw ChangeRefusedException.invalid(problems.all());
        }
        return change(call, switches, name, read.setting(), read.reason());
    }

    /** {@code DELETE /admin/v1/switches/{rule}}: the rule's own mode applies again. */
    HttpAnswer delete(AdminCall call) {
        return change(call, control.requiredForSwitches().switches(), name(call, false), null, null);
    }

    private HttpAnswer change(
            AdminCall call, Switches switches, SwitchName name, @Nullable Setting setting, @Nullable String reason) {
        Author author = call.author();
        Author why = reason == null || reason.isBlank() ? author : new Author(author.name(), author.from(), reason);
        Precondition precondition = call.precondition();
        Switches.Switched switched =
                switches.change(why, name, setting, precondition, call.dryRun(), call.flag("local"));
        SwitchChange done = switched.done();
        return done == null ? AdminAnswer.dryRun(switched.change(), List.of()) : answer(done, switches.caveat(done));
    }

    private HttpAnswer answer(SwitchChange of, @Nullable String caveat) {
        return AdminAnswer.versioned(200, of.stamp(), out -> write(out, of, caveat));
    }

    private void write(JsonGenerator out, SwitchChange of, @Nullable String caveat) throws IOException {
        Setting setting = of.setting();
        out.writeStartObject();
        out.writeStringField("rule", of.name().rule());
        out.writeStringField("label", label(of.name()));
        out.writeStringField(
                "domain", of.name().isEverything() ? null : of.name().domain());
        out.writeStringField("state", setting == null ? null : setting.state().text());
        out.writeNumberField("rollout", of.percent());
        out.writeStringField("reason", of.author().reason());
        out.writeStringField("via", of.via().name().toLowerCase(Locale.ROOT));
        out.writeNumberField("version", of.stamp());
        out.writeStringField("updated_at", of.at().toString());
        out.writeStringField("updated_by", of.author().name());
        out.writeStringField("from", of.author().from());
        if (caveat != null) {
            out.writeStringField("caveat", caveat);
        }
        out.writeEndObject();
    }

    /** The name of a switched rule in lists and metrics; its own name or id if it no longer exists. */
    private String label(SwitchName name) {
        for (Rule each : rules.all().get().rules()) {
            if (each.domain().equals(name.domain())
                    && (each.name().equals(name.rule()) || each.id().equals(name.rule()))) {
                return each.label();
            }
        }
        return name.rule();
    }

    /** Finds the switch: {@code all} without a domain means all rules; a rule is found by name, id or label. */
    private SwitchName name(AdminCall call, boolean mustExist) {
        String word = call.path("rule", MAX_RULE_LENGTH);
        String domain = call.query("domain");
        if (word.equals(SwitchName.ALL) && domain == null) {
            return SwitchName.EVERYTHING;
        }
        RuleIndex inForce = rules.all().get();
        for (Predicate<Rule> each : List.<Predicate<Rule>>of(
                rule -> rule.name().equals(word),
                rule -> rule.id().equals(word),
                rule -> rule.label().equals(word))) {
            Set<String> domains = new TreeSet<>();
            Set<String> found = new TreeSet<>();
            for (Rule one : inForce.rules()) {
                boolean fits = domain == null || domain.equals(one.domain());
                if (fits && !one.id().equals(RuleIndex.OVERRIDE) && each.test(one)) {
                    domains.add(one.domain());
                    found.add(one.name().equals(word) ? word : one.id());
                }
            }
            if (domains.size() > 1) {
                throw HttpProblemException.badRequest("rule: " + CallerText.shown(word) + " exists in the domains "
                        + String.join(", ", domains) + " (expected: domain=… to choose one)");
            }
            if (found.size() > 1) {
                throw HttpProblemException.badRequest(
                        "rule: " + CallerText.shown(word) + " is the label of several rules (expected: the id"
                                + " of one: "
                                + CallerText.shown(String.join(", ", found)) + ")");
            }
            if (domains.size() == 1) {
                return new SwitchName(
                        domains.iterator().next(), found.iterator().next());
            }
        }
        if (!mustExist) {
            return withoutRule(word, domain);
        }
        throw HttpProblemException.notFound(UnknownNames.rule(word, inForce.rules()));
    }

    /** Finds a switch whose rule no longer exists, so that it can be shown and released. */
    private SwitchName withoutRule(String word, @Nullable String domain) {
        for (SwitchChange each : control.switches()) {
            boolean fits = domain == null || domain.equals(each.name().domain());
            if (fits && each.name().rule().equals(word) && !each.name().isEverything()) {
                return each.name();
            }
        }
        throw HttpProblemException.notFound(
                UnknownNames.rule(word, rules.all().get().rules()));
    }
}

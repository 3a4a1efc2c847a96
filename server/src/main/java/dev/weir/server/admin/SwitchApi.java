package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.control.Precondition;
import dev.weir.control.RefusedException;
import dev.weir.control.Switches;
import dev.weir.control.audit.Author;
import dev.weir.control.data.Json;
import dev.weir.control.switches.Switch;
import dev.weir.control.switches.SwitchBody;
import dev.weir.control.switches.SwitchName;
import dev.weir.match.RuleSet;
import dev.weir.match.RuleSwitches.Setting;
import dev.weir.model.Rule;
import dev.weir.rules.diagnostics.Problems;
import dev.weir.server.http.Answer;
import dev.weir.server.http.RestException;
import dev.weir.server.http.Texts;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Rules, and everything, switched on, off or into shadow. */
final class SwitchApi {
    private static final int LONGEST_RULE = 250;

    private final RulesInForce rules;
    private final Control control;

    SwitchApi(RulesInForce rules, Control control) {
        this.rules = rules;
        this.control = control;
    }

    /** {@code GET /admin/v1/switches}: what is not as it came, by domain and rule. */
    Answer list(AdminCall call) {
        TreeMap<String, Json.Writing> all = new TreeMap<>();
        for (Switch each : control.switches()) {
            all.put(each.name().id(), out -> write(out, each));
        }
        return AdminAnswer.page(all.tailMap(call.after(), false), call.pageSize(), "switches");
    }

    /** {@code GET /admin/v1/switches/{rule}}. */
    Answer get(AdminCall call) {
        SwitchName name = name(call, false);
        for (Switch each : control.switches()) {
            if (each.name().equals(name)) {
                return answer(each);
            }
        }
        throw RestException.notFound(
                "rule: " + Texts.shown(name.rule()) + " is not switched (GET /admin/v1/switches lists what is)");
    }

    /** {@code PUT /admin/v1/switches/{rule}}. */
    Answer put(AdminCall call, byte[] body) {
        Switches switches = control.required().switches();
        SwitchName name = name(call, true);
        Problems problems = new Problems("body");
        SwitchBody read = SwitchBody.read(body, name.isEverything(), problems);
        if (read == null) {
            throw RefusedException.invalid(problems.all());
        }
        return change(call, switches, name, read.setting(), read.reason());
    }

    /** {@code DELETE /admin/v1/switches/{rule}}: the rule says itself again what it does. */
    Answer delete(AdminCall call) {
        return change(call, control.required().switches(), name(call, false), null, null);
    }

    private Answer change(
            AdminCall call, Switches switches, SwitchName name, @Nullable Setting setting, @Nullable String reason) {
        Author author = call.author();
        Author why = reason == null || reason.isBlank() ? author : new Author(author.name(), author.from(), reason);
        Precondition precondition = call.precondition();
        Switches.Switched switched =
                switches.change(why, name, setting, precondition, call.dryRun(), call.flag("local"));
        Switch done = switched.done();
        return done == null ? AdminAnswer.dryRun(switched.change(), List.of()) : answer(done);
    }

    private static Answer answer(Switch of) {
        return AdminAnswer.versioned(200, of.stamp(), out -> write(out, of));
    }

    private static void write(JsonGenerator out, Switch of) throws IOException {
        Setting setting = of.setting();
        out.writeStartObject();
        out.writeStringField("rule", of.name().rule());
        out.writeStringField(
                "domain", of.name().isEverything() ? null : of.name().domain());
        out.writeStringField("state", setting == null ? null : setting.state().spelling());
        out.writeNumberField("rollout", of.percent());
        out.writeStringField("reason", of.author().reason());
        out.writeStringField("via", of.via().name().toLowerCase(Locale.ROOT));
        out.writeNumberField("version", of.stamp());
        out.writeStringField("updated_at", of.at().toString());
        out.writeStringField("updated_by", of.author().name());
        out.writeStringField("from", of.author().from());
        out.writeEndObject();
    }

    /** Which switch is meant: {@code all} without a domain is everything; a rule goes by its name, its id or its label. */
    private SwitchName name(AdminCall call, boolean mustExist) {
        String word = call.path("rule", LONGEST_RULE);
        String domain = call.query("domain");
        if (word.equals(SwitchName.ALL) && domain == null) {
            return SwitchName.EVERYTHING;
        }
        RuleSet inForce = rules.all().get();
        for (Predicate<Rule> each : List.<Predicate<Rule>>of(
                rule -> rule.name().equals(word),
                rule -> rule.id().equals(word),
                rule -> rule.label().equals(word))) {
            Set<String> domains = new TreeSet<>();
            Set<String> found = new TreeSet<>();
            for (Rule one : inForce.rules()) {
                boolean fits = domain == null || domain.equals(one.domain());
                if (fits && !one.id().equals(RuleSet.OVERRIDE) && each.test(one)) {
                    domains.add(one.domain());
                    found.add(one.name().equals(word) ? word : one.id());
                }
            }
            if (domains.size() > 1) {
                throw RestException.badRequest("rule: " + Texts.shown(word) + " is in the domains "
                        + String.join(", ", domains) + " (expected: domain=… to say which)");
            }
            if (found.size() > 1) {
                throw RestException.badRequest(
                        "rule: " + Texts.shown(word) + " is the label of several (expected: the id of" + " one: "
                                + Texts.shown(String.join(", ", found)) + ")");
            }
            if (domains.size() == 1) {
                return new SwitchName(
                        domains.iterator().next(), found.iterator().next());
            }
        }
        if (!mustExist) {
            return gone(word, domain);
        }
        throw RestException.notFound("rule: " + Texts.shown(word)
                + " (expected: all, or a rule in force; GET /v1/ratelimit/config lists them)");
    }

    /** A switch whose rule is not there any more can still be looked at and released. */
    private SwitchName gone(String word, @Nullable String domain) {
        for (Switch each : control.switches()) {
            boolean fits = domain == null || domain.equals(each.name().domain());
            if (fits && each.name().rule().equals(word) && !each.name().isEverything()) {
                return each.name();
            }
        }
        throw RestException.notFound("rule: " + Texts.shown(word) + " (expected: all, or a rule in force or switched)");
    }
}

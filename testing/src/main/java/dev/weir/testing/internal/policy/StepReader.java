package dev.weir.testing.internal.policy;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.ban.BanSet;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.testing.internal.policy.PolicyStep.Ask;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the steps of one test, in their order: a step begins when the last request before it was sent, unless it says otherwise. */
final class StepReader {
    private static final int MOST_TIMES = 1_000_000;
    private static final long LONGEST_MICROS = TimeUnit.DAYS.toMicros(366);
    private static final List<String> KINDS = List.of("ask", "load", "ban", "lift", "redis");
    private static final List<String> TIMES = List.of("at", "after");
    private static final List<String> OF_ASK = List.of("times", "every", "domain", "cost", "costs", "lasts");
    private static final List<String> FIELDS = List.of(KINDS, TIMES, OF_ASK, ExpectationReader.FIELDS).stream()
            .flatMap(List::stream)
            .toList();

    private final WrittenRules rules;
    private final @Nullable String domain;
    private final DiagnosticCollector problems;
    private final ExpectationReader expectations;
    private int number;
    private long asked;
    private long now;

    /** Creates a reader of one test; requests go to {@code domain} unless they say otherwise. */
    StepReader(WrittenRules rules, @Nullable String domain, DiagnosticCollector problems) {
        this.rules = rules;
        this.domain = domain;
        this.problems = problems;
        this.expectations = new ExpectationReader(rules, problems);
    }

    /** Reads the next step, and adds what happens in it to {@code into}. */
    void read(YamlNode node, List<PolicyStep> into) {
        number++;
        Fields fields = Fields.of(node, "a step", "{ ask: { user_id: u1 }, expect: allowed }", problems);
        if (fields == null) {
            return;
        }
        fields.allow(FIELDS, Map.of("then", "write another step", "header", "did you mean headers?"));
        List<String> kinds = KINDS.stream().filter(fields::has).toList();
        if (kinds.size() != 1) {
            if (!kinds.isEmpty() || KINDS.stream().noneMatch(fields::isMeant)) {
                problems.error(
                        fields.at(),
                        kinds.isEmpty() ? "the step does nothing" : String.join(" and ", kinds) + " in one step",
                        "expected: one of " + String.join(", ", KINDS));
            }
            return;
        }
        long micros = start(fields);
        if (!kinds.get(0).equals("ask")) {
            refuseFieldsOfAsk(fields, kinds.get(0));
        }
        switch (kinds.get(0)) {
            case "ask" -> ask(fields, micros, into);
            case "load" -> loads(fields, micros, into);
            case "ban" -> ban(fields, micros, into);
            case "lift" -> lift(fields, micros, into);
            default -> redis(fields, micros, into);
        }
        now = Math.max(now, micros);
    }

    private void refuseFieldsOfAsk(Fields fields, String kind) {
        for (Entry each : fields.entries()) {
            String name = each.key().text();
            if (OF_ASK.contains(name) || ExpectationReader.FIELDS.contains(name)) {
                problems.error(each.key().at(), name + " beside " + kind, "only a step with ask has it");
            }
        }
    }

    private long start(Fields fields) {
        if (fields.has("at") && fields.has("after")) {
            problems.error(fields.at("after"), "at and after in one step", "expected: one of them");
        }
        Long at = moment(fields, "at");
        Long after = moment(fields, "after");
        return at != null ? at : Math.max(now, 0) + (after == null ? 0 : after);
    }

    /** A duration that may be 0. */
    private @Nullable Long moment(Fields fields, String name) {
        Scalar scalar = fields.scalar(name);
        if (scalar == null) {
            return null;
        }
        String expected;
        try {
            long micros = Durations.micros(scalar.text());
            if (micros <= LONGEST_MICROS) {
                return micros;
            }
            expected = "expected: at most " + Durations.text(LONGEST_MICROS);
        } catch (IllegalArgumentException e) {
            expected = String.valueOf(e.getMessage());
        }
        problems.error(scalar.at(), name + ": " + quote(scalar.text()), expected);
        return null;
    }

    private void ask(Fields fields, long micros, List<PolicyStep> into) {
        int before = problems.errors();
        Long times = fields.whole("times", 1, MOST_TIMES);
        Long every = moment(fields, "every");
        if (every != null && times == null && !fields.has("times")) {
            problems.error(
                    fields.nameAt("every"), "every without times", "expected: times, how many requests there are");
        }
        RequestTemplate request = request(fields);
        int count = times == null ? 1 : times.intValue();
        Expectation expect = expectations.read(fields, count);
        if (problems.errors() > before || request == null) {
            return;
        }
        long between = every == null ? 0 : every;
        Ask ask = new Ask(fields.at(), number, micros, count, between, request, expect);
        asked += count;
        if (asked > MOST_TIMES) {
            problems.error(
                    fields.at(),
                    asked + " requests in one test",
                    "expected: at most " + MOST_TIMES + ", split the test");
        } else if (between > 0 && (count - 1) > (2 * LONGEST_MICROS - micros) / between) {
            problems.error(fields.at("every"), "the step lasts too long", "expected: two years at most");
        } else {
            into.add(ask);
            now = ask.lastMicros();
        }
    }

    private @Nullable RequestTemplate request(Fields fields) {
        String to = fields.text("domain");
        if (to == null) {
            to = domain != null
                    ? domain
                    : rules.domains().size() == 1 ? rules.domains().get(0) : null;
        }
        if (to == null) {
            if (!rules.domains().isEmpty()) {
                problems.error(
                        fields.at(), "domain: missing", "expected: one of " + String.join(", ", rules.domains()));
            }
        } else if (!rules.domains().isEmpty() && !rules.domains().contains(to)) {
            problems.error(
                    fields.has("domain") ? fields.at("domain") : fields.at(),
                    "unknown domain " + quote(to),
                    Suggestion.among(to, rules.domains()));
        }
        YamlNode asked = fields.node("ask");
        boolean attributes = asked instanceof Mapping;
        List<YamlNode> nodes = asked instanceof Mapping mapping ? List.of(mapping) : fields.list("ask");
        List<List<Map.Entry<String, String>>> descriptors = new ArrayList<>();
        for (YamlNode each : nodes) {
            Fields entries = Fields.of(each, "ask", "{ user_id: u1 }", problems);
            if (entries != null) {
                descriptors.add(entries(entries));
            }
        }
        Long cost = fields.whole("cost", 0, 1L << 32);
        Long lasts = fields.duration("lasts");
        return to == null || descriptors.isEmpty()
                ? null
                : new RequestTemplate(to, attributes, descriptors, cost, costs(fields), lasts == null ? 0 : lasts);
    }

    private static List<Map.Entry<String, String>> entries(Fields fields) {
        List<Map.Entry<String, String>> entries = new ArrayList<>();
        for (Entry each : fields.entries()) {
            String value = fields.text(each.key().text());
            entries.add(Map.entry(each.key().text(), value == null ? "" : value));
        }
        return entries;
    }

    private Map<String, Long> costs(Fields fields) {
        YamlNode node = fields.node("costs");
        Fields units = node == null ? null : Fields.of(node, "costs", "{ output_tokens: 800 }", problems);
        Map<String, Long> costs = new LinkedHashMap<>();
        if (units != null) {
            List<String> known =
                    rules.rules().stream().map(Rule::unit).distinct().toList();
            for (Entry each : units.entries()) {
                String unit = each.key().text();
                Long hits = units.whole(unit, 0, 1L << 32);
                if (!known.isEmpty() && !known.contains(unit)) {
                    problems.error(each.key().at(), "no rule counts " + quote(unit), Suggestion.among(unit, known));
                } else if (hits != null) {
                    costs.put(unit, hits);
                }
            }
        }
        return costs;
    }

    private void loads(Fields fields, long micros, List<PolicyStep> into) {
        YamlNode node = fields.node("load");
        Fields services = node == null ? null : Fields.of(node, "load", "{ payments: 0.9 }", problems);
        if (services == null) {
            return;
        }
        for (Entry each : services.entries()) {
            String service = each.key().text();
            Position at = each.key().at();
            if (!rules.rules().isEmpty() && !rules.followedServices().contains(service)) {
                String hint = rules.followedServices().isEmpty()
                        ? "no rule has follows"
                        : Suggestion.among(service, rules.followedServices());
                problems.error(at, "no rule follows " + quote(service), hint);
                continue;
            }
            String text = services.text(service);
            if (text != null && text.matches("[0-9]{1,3}(\\.[0-9]{1,6})?")) {
                into.add(new PolicyStep.Load(at, micros, service, Double.parseDouble(text)));
            } else {
                problems.error(
                        services.at(service),
                        service + ": " + quote(String.valueOf(text)),
                        "expected: a utilisation like 0.9");
            }
        }
    }

    private void ban(Fields fields, long micros, List<PolicyStep> into) {
        YamlNode node = fields.node("ban");
        Fields ban = node == null ? null : Fields.of(node, "ban", "{ caller: ip=192.0.2.1, for: 10m }", problems);
        if (ban == null) {
            return;
        }
        ban.allow(List.of("caller", "kind", "for", "domain", "reason"), Map.of());
        String[] caller = caller(ban, "caller");
        BanKind kind = ban.oneOf("kind", BanKind.values());
        Long length = ban.duration("for");
        String in = ban.text("domain");
        String reason = ban.text("reason");
        String fault = caller == null ? null : fault(caller);
        if (fault != null) {
            problems.error(ban.at("caller"), "caller: " + fault);
        } else if (caller != null) {
            into.add(new PolicyStep.Banned(
                    fields.at(),
                    micros,
                    kind == null ? BanKind.BAN : kind,
                    caller[0],
                    caller[1],
                    in == null ? "" : in,
                    length == null ? 0 : length,
                    reason == null ? "" : reason));
        }
    }

    /** Why there can be no ban of {@code caller}; null if there can. */
    private static @Nullable String fault(String[] caller) {
        Ban ban = new Ban(BanKind.BAN, caller[0], caller[1], "", Ban.FOREVER, "", "", false);
        try {
            BanSet unused = BanSet.of(List.of(ban), false);
            return null;
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void lift(Fields fields, long micros, List<PolicyStep> into) {
        String[] caller = caller(fields, "lift");
        if (caller != null) {
            into.add(new PolicyStep.Lifted(fields.at(), micros, caller[0], caller[1]));
        }
    }

    /** The attribute and the value of a caller. */
    private String @Nullable [] caller(Fields fields, String name) {
        String text = fields.text(name);
        int equals = text == null ? -1 : text.indexOf('=');
        if (text != null && equals > 0 && equals < text.length() - 1) {
            return new String[] {text.substring(0, equals), text.substring(equals + 1)};
        }
        if (text != null || fields.lacks(name)) {
            problems.error(
                    fields.at(name),
                    name + ": " + (text == null ? "missing" : quote(text)),
                    "expected: an attribute and its value, like ip=192.0.2.1");
        }
        return null;
    }

    private void redis(Fields fields, long micros, List<PolicyStep> into) {
        YamlNode node = fields.node("redis");
        Fields redis = node == null ? null : Fields.of(node, "redis", "{ unreachable: 3s }", problems);
        if (redis == null) {
            return;
        }
        redis.allow(List.of("unreachable", "store"), Map.of("for", "did you mean unreachable: 3s?"));
        Long length = redis.duration("unreachable");
        if (length == null && redis.lacks("unreachable")) {
            problems.error(redis.at(), "unreachable: missing", "expected: for how long, like 3s");
        }
        String store = redis.text("store");
        List<String> stores = rules.rules().stream().map(Rule::store).distinct().toList();
        if (store != null && !stores.isEmpty() && !stores.contains(store)) {
            problems.error(
                    redis.at("store"),
                    "no rule counts in " + quote(store),
                    "expected: one of " + stores.stream().sorted().collect(Collectors.joining(", ")));
        }
        if (length != null) {
            into.add(new PolicyStep.Unreachable(
                    fields.at(), micros, store == null ? Rule.DEFAULT_STORE : store, Math.min(length, LONGEST_MICROS)));
        }
    }
}

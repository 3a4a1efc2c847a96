package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Escalation;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.grammar.MatchReader.MatchClause;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.rules.internal.regions.ScopeReader;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads Weir's format: {@code rules}, and the fields that apply to all of them. */
final class WeirFormat {
    private static final List<String> BEHAVIOUR = Stream.concat(
                    Behaviour.SHARED.stream(), Stream.of("on_missing", "endpoint_case"))
            .toList();

    static final List<String> ROOT = Stream.of(
                    List.of("domain", "rules", "tiers", "services", Priorities.NAME),
                    KeyByReader.FIELDS,
                    BEHAVIOUR,
                    Pricing.FIELDS)
            .flatMap(List::stream)
            .toList();

    private static final List<String> RULE = Stream.of(
                    List.of(
                            "name",
                            "match",
                            "limit",
                            "cost",
                            "counts",
                            "shadow",
                            "rollout",
                            "enabled",
                            "over",
                            "follows",
                            Services.RESERVE,
                            EscalationReader.NAME,
                            ReputationReader.NAME),
                    KeyByReader.FIELDS,
                    BEHAVIOUR,
                    Pricing.FIELDS)
            .flatMap(List::stream)
            .toList();

    private static final Map<String, String> OTHERS = Map.of(
            "rate_limit", Suggestion.meant("limit"),
            "limits", Suggestion.meant("limit") + " several limits are several rules",
            "requests", Fields.belongsIn("limit"),
            "window", Fields.belongsIn("limit"),
            "burst", Fields.belongsIn("limit"),
            "algorithm", Fields.belongsIn("limit"),
            "permit_ttl", Fields.belongsIn("limit"),
            "shadow_mode", Suggestion.meant("shadow"),
            "endpoint", Fields.belongsIn("match"),
            "tier", Fields.belongsIn("match"));

    /** Fields that only rules have. At the top of a file they mean that {@code rules} is missing. */
    static final List<String> RULE_ONLY =
            List.of("match", "limit", "cost", "counts", "shadow", "enabled", "requests", "window");

    private static final Map<String, String> TOP_LEVEL_HINTS = Stream.concat(RULE_ONLY.stream(), RULE.stream())
            .distinct()
            .filter(each -> !ROOT.contains(each))
            .collect(Collectors.toMap(each -> each, each -> Fields.belongsIn("rules")));

    private static final int LONGEST_NAME = 200;

    private final DiagnosticCollector problems;
    private final StoreNames stores;
    private final KeyByReader keys;
    private final MatchReader matches;
    private final Map<String, Position> names = new HashMap<>();

    /** Reads rules that compare endpoints in {@code form}. */
    WeirFormat(DiagnosticCollector problems, StoreNames stores, EndpointForm form) {
        this.stores = stores;
        this.problems = problems;
        SuspiciousMatchWarnings warnings = new SuspiciousMatchWarnings(problems, form);
        this.keys = new KeyByReader(problems, warnings);
        this.matches = new MatchReader(problems, warnings);
    }

    RuleFile.Weir read(Fields root) {
        Map<String, String> others = new HashMap<>(TOP_LEVEL_HINTS);
        others.put("descriptors", "a file has either rules or descriptors");
        root.allow(ROOT, others);
        String named = root.text("domain");
        String domain = named == null ? "default" : named;
        if (domain.isEmpty()) {
            problems.error(root.at("domain"), "domain is empty", "leave it out for 'default'");
        }
        KeyBy key = keys.read(root, KeyBy.global());
        Behaviour behaviour = Behaviour.DEFAULT.with(root, stores);
        Pricing pricing = Pricing.NONE.with(root, behaviour.ignoresCase());
        Tiers tiers = Tiers.read(root);
        Services services = Services.read(root, matches, stores, behaviour, pricing);
        List<ParsedRule> parsed = new ArrayList<>(tiers.rules(key, behaviour, pricing));
        parsed.addAll(services.capacities());
        List<PriorityRule> priorities = Priorities.read(root, matches, behaviour.ignoresCase());
        if (root.lacks("rules") && parsed.isEmpty()) {
            problems.error(root.nameAt("rules"), "rules is missing", "write rules: [] to limit nothing");
        }
        List<YamlNode> written = root.list("rules");
        for (YamlNode each : written) {
            Fields fields = Fields.of(each, "rule", problems);
            ParsedRule rule = fields == null ? null : parse(fields, tiers, services, key, behaviour, pricing);
            if (rule != null) {
                parsed.add(rule);
            }
        }
        if (root.has("rules") && written.isEmpty() && parsed.isEmpty() && problems.errors() == 0) {
            problems.warning(root.nameAt("rules"), "no rules: NOTHING is limited in domain " + quote(domain), "");
        }
        tiers.warn(parsed);
        if (!priorities.isEmpty() && parsed.stream().allMatch(each -> each.reserve() == Rule.NO_RESERVE)) {
            problems.warning(
                    root.nameAt(Priorities.NAME),
                    "priorities have no effect",
                    "no service has a capacity: services: { NAME: { capacity: { requests: 5000, window: 1s } } }");
        }
        RedundantRuleWarnings.warn(parsed, problems);
        return new RuleFile.Weir(
                domain, root.at("domain"), problems, build(domain, parsed), services.loadQueries(), priorities);
    }

    private List<Placed<WeirRule>> build(String domain, List<ParsedRule> parsed) {
        RuleLabels labels = new RuleLabels(parsed);
        List<Placed<WeirRule>> rules = new ArrayList<>();
        for (ParsedRule each : parsed) {
            rules.add(new Placed<>(each.rule(domain, labels.of(each), problems.place(each.at())), each.at()));
        }
        return rules;
    }

    private @Nullable ParsedRule parse(
            Fields fields,
            Tiers tiers,
            Services services,
            KeyBy fileKey,
            Behaviour fileBehaviour,
            Pricing filePricing) {
        int before = problems.errors();
        fields.allow(RULE, OTHERS);
        String name = name(fields);
        Behaviour behaviour = fileBehaviour.with(fields, stores);
        int beforeMatch = problems.errors();
        List<MatchClause> match = matches.read(fields, behaviour.ignoresCase());
        boolean unclear = problems.errors() > beforeMatch || fields.isMeant("match");
        KeyBy key = keys.read(fields, fileKey);
        warnOfUnusedCase(fields, match, key);
        Long cost = fields.whole("cost", 1, Long.MAX_VALUE);
        boolean shadow = fields.flag("shadow", false);
        Integer rollout = fields.percent("rollout");
        boolean enabled = fields.flag("enabled", true);
        if (shadow && rollout != null) {
            problems.error(
                    fields.nameAt("rollout"),
                    "rollout beside shadow",
                    "a rule in shadow mode denies nobody: remove one of them");
        }
        long each = cost == null ? 1 : cost;
        Limit limit = fields.has("limit") ? limit(fields, each) : tiers.limitOf(match);
        if (!fields.has("limit") && limit != null && limit.requests() > 0 && limit.capacity() < each) {
            String expected =
                    "expected: <= " + limit.burst() + ", the burst of its tier, or no request would ever pass";
            problems.error(fields.at("cost"), "cost: " + each, expected);
        }
        if (limit == null && fields.lacks("limit") && !unclear && !tiers.isUnclear()) {
            String expected = "expected: limit: { requests: 10, window: 1s }, or a match of one tier that has a limit";
            problems.error(fields.nameAt("limit"), "limit is missing", expected);
        }
        LoadCurve follows = services.curve(fields, null);
        int reserve = services.reserve(fields, limit, key);
        if (reserve != Rule.NO_RESERVE && !fields.has("deny_as")) {
            behaviour = behaviour.denying(Cause.CAPACITY);
        }
        if (limit != null) {
            ScopeReader.check(fields, behaviour.scope(), limit, each);
        }
        RegionScope scope = behaviour.scope();
        if (reserve != Rule.NO_RESERVE && (scope.isGlobal() || scope.isShared())) {
            problems.error(
                    fields.nameAt(Services.RESERVE),
                    "reserve with scope: " + (scope.isGlobal() ? "global" : "shared"),
                    "a capacity is that of a service in one region; remove one of them");
        }
        Limit part = limit == null ? null : behaviour.scope().partOf(limit);
        ReputationScale reputation = ReputationReader.read(fields, part, each);
        Escalation escalation = EscalationReader.read(fields, key);
        behaviour.check(fields, limit, false);
        OverLimit over = OverLimit.read(fields, limit);
        Pricing pricing = filePricing.with(fields, behaviour.ignoresCase());
        if (limit != null) {
            pricing.check(fields, each, limit);
        }
        if (limit == null || problems.errors() > before || !enabled) {
            return null;
        }
        Position at = name.isEmpty() ? fields.at() : fields.at("name");
        int denied = rollout == null ? Rule.EVERYONE : rollout;
        return new ParsedRule(
                at,
                name,
                match,
                key,
                limit,
                each,
                shadow,
                denied,
                over,
                follows,
                reserve,
                reputation,
                behaviour,
                escalation,
                pricing);
    }

    private void warnOfUnusedCase(Fields fields, List<MatchClause> match, KeyBy key) {
        boolean used = match.stream().anyMatch(each -> each.attribute().equals(Attributes.ENDPOINT))
                || key.parts().stream().anyMatch(each -> each.contains(Attributes.ENDPOINT));
        if (fields.has("endpoint_case") && !used) {
            problems.warning(
                    fields.nameAt("endpoint_case"),
                    "endpoint_case has no effect",
                    "the rule neither matches nor counts by endpoint");
        }
    }

    private @Nullable Limit limit(Fields fields, long cost) {
        YamlNode node = fields.node("limit");
        Fields limit = node == null ? null : Fields.of(node, "limit", "{ requests: 10, window: 1s }", problems);
        return limit == null ? null : LimitReader.weir(limit, cost);
    }

    private String name(Fields fields) {
        Scalar scalar = fields.scalar("name");
        if (scalar == null) {
            return "";
        }
        String name = scalar.text();
        boolean control = name.chars().anyMatch(WeirFormat::breaksALine);
        if (name.isBlank() || name.startsWith("#") || control || name.length() > LONGEST_NAME) {
            String expected = "expected: up to " + LONGEST_NAME + " characters on one line, the first not #";
            problems.error(scalar.at(), "name: " + quote(name), expected);
            return "";
        }
        Position first = names.putIfAbsent(name, scalar.at());
        if (first != null) {
            problems.error(scalar.at(), "name " + quote(name) + " is used twice", "first at " + first);
        }
        return name;
    }

    private static boolean breaksALine(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}

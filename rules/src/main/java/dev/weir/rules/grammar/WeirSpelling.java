package dev.weir.rules.grammar;

import static dev.weir.rules.diagnostics.Text.quote;

import dev.weir.match.KeyBy;
import dev.weir.match.WeirRule;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.rules.diagnostics.Position;
import dev.weir.rules.diagnostics.Problems;
import dev.weir.rules.grammar.RuleFile.Placed;
import dev.weir.rules.yaml.YamlNode;
import dev.weir.rules.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads Weir's own spelling: {@code rules}, and what holds for all of them. */
final class WeirSpelling {
    private static final List<String> BEHAVIOUR =
            Stream.concat(Behaviour.SHARED.stream(), Stream.of("on_missing")).toList();

    static final List<String> ROOT = Stream.of(List.of("domain", "rules", "tiers"), Keys.FIELDS, BEHAVIOUR)
            .flatMap(List::stream)
            .toList();

    private static final List<String> RULE = Stream.of(
                    List.of("name", "match", "limit", "cost", "shadow", "rollout", "enabled"), Keys.FIELDS, BEHAVIOUR)
            .flatMap(List::stream)
            .toList();

    private static final Map<String, String> OTHERS = Map.of(
            "rate_limit", "did you mean limit?",
            "limits", "did you mean limit? several limits are several rules",
            "requests", "it belongs in limit",
            "window", "it belongs in limit",
            "burst", "it belongs in limit",
            "algorithm", "it belongs in limit",
            "shadow_mode", "did you mean shadow?",
            "endpoint", "it belongs in match",
            "tier", "it belongs in match",
            "key", "did you mean key_by?");

    private static final int LONGEST_NAME = 200;

    private final Problems problems;
    private final StoreNames stores;
    private final Keys keys;
    private final Matches matches;
    private final Map<String, Position> names = new HashMap<>();

    WeirSpelling(Problems problems, StoreNames stores) {
        this.stores = stores;
        this.problems = problems;
        this.keys = new Keys(problems);
        this.matches = new Matches(problems);
    }

    RuleFile.Weir read(Fields root) {
        root.allow(ROOT, Map.of("descriptors", "a file has either rules or descriptors"));
        String named = root.text("domain");
        String domain = named == null ? "default" : named;
        if (domain.isEmpty()) {
            problems.error(root.at("domain"), "domain is empty", "leave it out for 'default'");
        }
        KeyBy key = keys.read(root, KeyBy.global());
        Behaviour behaviour = Behaviour.DEFAULT.with(root, stores);
        Tiers tiers = Tiers.read(root);
        List<Draft> drafts = new ArrayList<>(tiers.drafts(key, behaviour));
        if (!root.has("rules") && drafts.isEmpty()) {
            problems.error(root.nameAt("rules"), "rules is missing", "write rules: [] if nothing is to be limited");
        }
        List<YamlNode> written = root.list("rules");
        for (YamlNode each : written) {
            Fields fields = Fields.of(each, "rule", problems);
            Draft draft = fields == null ? null : draft(fields, tiers, key, behaviour);
            if (draft != null) {
                drafts.add(draft);
            }
        }
        if (root.has("rules") && written.isEmpty() && drafts.isEmpty() && problems.errors() == 0) {
            problems.warning(root.nameAt("rules"), "no rules: NOTHING is limited in domain " + quote(domain), "");
        }
        tiers.warn(drafts);
        WeirReach.warn(drafts, problems);
        return new RuleFile.Weir(domain, root.at("domain"), problems, finished(domain, drafts));
    }

    private List<Placed<WeirRule>> finished(String domain, List<Draft> drafts) {
        Labels labels = new Labels(drafts);
        List<Placed<WeirRule>> rules = new ArrayList<>();
        for (Draft each : drafts) {
            rules.add(new Placed<>(each.rule(domain, labels.of(each), problems.place(each.at())), each.at()));
        }
        return rules;
    }

    private @Nullable Draft draft(Fields fields, Tiers tiers, KeyBy fileKey, Behaviour fileBehaviour) {
        int before = problems.errors();
        fields.allow(RULE, OTHERS);
        String name = name(fields);
        List<Clause> match = matches.read(fields);
        KeyBy key = keys.read(fields, fileKey);
        Behaviour behaviour = fileBehaviour.with(fields, stores);
        Long cost = fields.whole("cost", 1, Long.MAX_VALUE);
        boolean shadow = fields.flag("shadow", false);
        Integer rollout = fields.percent("rollout");
        boolean enabled = fields.flag("enabled", true);
        if (shadow && rollout != null) {
            problems.error(
                    fields.nameAt("rollout"),
                    "rollout beside shadow",
                    "a rule in shadow denies nobody: remove one of them");
        }
        long each = cost == null ? 1 : cost;
        Limit limit = limit(fields, tiers, match, each);
        behaviour.check(fields, limit, false);
        if (limit == null || problems.errors() > before || !enabled) {
            return null;
        }
        Position at = name.isEmpty() ? fields.at() : fields.at("name");
        int denied = rollout == null ? Rule.EVERYONE : rollout;
        return new Draft(at, name, match, key, limit, each, shadow, denied, behaviour);
    }

    private @Nullable Limit limit(Fields fields, Tiers tiers, List<Clause> match, long cost) {
        YamlNode node = fields.node("limit");
        if (node != null) {
            Fields limit = Fields.of(node, "limit", problems);
            return limit == null ? null : Limits.weir(limit, cost);
        }
        Limit ofTier = tiers.limitOf(match);
        if (ofTier == null) {
            String expected = "expected: limit: { requests: 10, window: 1s }, or a match of one tier that has a limit";
            problems.error(fields.at(), "limit is missing", expected);
        }
        return ofTier;
    }

    private String name(Fields fields) {
        Scalar scalar = fields.scalar("name");
        if (scalar == null) {
            return "";
        }
        String name = scalar.text();
        boolean control = name.chars().anyMatch(Character::isISOControl);
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
}

package dev.weir.internal.explain;

import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.match.AttributePositions;
import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.keyby.SafeText;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.Glob;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.match.weir.CompiledCondition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Explains for every rule of a domain why it applies or does not apply to one descriptor. The real matching decides
 * which rules apply; this class only finds the reason, rule by rule, without the index.
 */
public final class RuleExplainer {
    private final Request request;
    private final Matches matches;
    private final AttributePositions positions;
    private final List<RuleExplanation> found = new ArrayList<>();

    /**
     * Creates an explainer; {@code matches} has the rules that match {@code request}, which has one descriptor. Rules in
     * Weir's format compare endpoints in {@code form}.
     */
    public RuleExplainer(Request request, Matches matches, EndpointForm form) {
        this.request = request;
        this.matches = matches;
        this.positions = new AttributePositions(form);
    }

    public List<RuleExplanation> found() {
        return found;
    }

    private @Nullable Match matchOf(Rule rule) {
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i).rule == rule) {
                return matches.get(i);
            }
        }
        return null;
    }

    /** Explains rules in Weir's format; {@code adopted} has the index's copies of the same rules. */
    public void weir(List<WeirRule> rules, List<Rule> adopted) {
        AttributeValues frame = frame(rules);
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = adopted.get(i);
            Match match = matchOf(rule);
            found.add(match == null ? notMet(rule, rules.get(i), frame) : met(rule, rules.get(i), match));
        }
        frame.clear();
    }

    private AttributeValues frame(List<WeirRule> rules) {
        for (WeirRule each : rules) {
            each.match().forEach(condition -> positions.of(condition.attribute(), each.ignoresCase()));
        }
        AttributeValues frame = new AttributeValues();
        frame.load(request, 0, positions);
        matches.tier.apply(frame);
        return frame;
    }

    private static RuleExplanation met(Rule rule, WeirRule from, Match match) {
        String lacks = "it lacks what the rule counts by (" + keys(from.keyBy()) + ")";
        if (match.keyMissing && rule.onMissing() == OnMissing.SKIP) {
            return new RuleExplanation(rule, false, lacks + ", and on_missing says skip");
        }
        if (match.keyMissing) {
            String says = rule.onMissing() == OnMissing.DENY ? "deny" : "share";
            return new RuleExplanation(rule, true, lacks + ", and on_missing says " + says);
        }
        String asked = from.match().isEmpty()
                ? "it asks for nothing"
                : from.match().stream().map(RuleExplainer::text).collect(Collectors.joining(", "));
        String priority = match.priority == null
                ? ""
                : ", and its priority is " + match.priority.name().toLowerCase(Locale.ROOT);
        return new RuleExplanation(rule, true, asked + priority);
    }

    private static String keys(KeyBy key) {
        return key.parts().stream().map(each -> String.join(" | ", each)).collect(Collectors.joining(", "));
    }

    private RuleExplanation notMet(Rule rule, WeirRule from, AttributeValues frame) {
        List<String> missing = new ArrayList<>();
        for (Condition each : from.matchIn(positions.form())) {
            int slot = positions.of(each.attribute(), from.ignoresCase());
            boolean any =
                    each.anyOf().stream().anyMatch(p -> p instanceof EndpointPattern endpoint && endpoint.isAny());
            if (!any && !new CompiledCondition(slot, each.anyOf()).holds(frame)) {
                String value = frame.value(slot);
                missing.add(each.attribute() + " is " + (value == null ? "missing" : quoted(value)) + " (expected: "
                        + expected(each) + ")");
            }
        }
        return new RuleExplanation(rule, false, missing.isEmpty() ? "it does not apply" : String.join("; ", missing));
    }

    static String text(Condition condition) {
        return condition.attribute() + " is " + expected(condition);
    }

    private static String expected(Condition condition) {
        return condition.anyOf().stream().map(ValuePattern::text).collect(Collectors.joining(" or "));
    }

    private static String quoted(String value) {
        StringBuilder safe = new StringBuilder("\"");
        SafeText.append(safe, value);
        return safe.append('"').toString();
    }

    /**
     * Explains the rules of a tree in Envoy's format; {@code adopted} has the index's copies, in the order of the file.
     */
    public void envoy(List<EnvoyDescriptor> tree, List<Rule> adopted) {
        Set<String> replaced = new HashSet<>();
        for (int i = 0; i < matches.size(); i++) {
            Rule rule = matches.get(i).rule;
            if (rule != null && !matches.get(i).isSpared()) {
                replaced.addAll(rule.replaces());
            }
        }
        envoy(tree, List.of(), adopted, replaced);
    }

    private void envoy(
            List<EnvoyDescriptor> nodes, List<EnvoyDescriptor> above, List<Rule> adopted, Set<String> replaced) {
        for (EnvoyDescriptor each : nodes) {
            List<EnvoyDescriptor> path = new ArrayList<>(above);
            path.add(each);
            if (each.rule() != null) {
                Rule rule = adopted.get(found.size());
                if (matchOf(rule) != null) {
                    found.add(new RuleExplanation(rule, true, spelled(path)));
                } else {
                    String left = request.isAttributes() ? ofAttributes(path) : ofEntries(path);
                    String dropped = replaced.contains(rule.name())
                            ? "another rule of this request replaces it"
                            : "another entry of the same key is closer";
                    found.add(new RuleExplanation(rule, false, left == null ? dropped : left));
                }
            }
            envoy(each.children(), path, adopted, replaced);
        }
    }

    private static String spelled(List<EnvoyDescriptor> path) {
        return path.stream()
                .map(each -> each.key() + (each.value().isEmpty() ? "" : " is " + each.value()))
                .collect(Collectors.joining(", "));
    }

    /** Returns where the descriptor, read entry by entry, leaves the path; null if it follows the whole path. */
    private @Nullable String ofEntries(List<EnvoyDescriptor> path) {
        int start = request.start(0);
        int entries = request.end(0) - start;
        for (int i = 0; i < path.size(); i++) {
            EnvoyDescriptor asked = path.get(i);
            if (i >= entries) {
                return "the descriptor ends before " + asked.key();
            }
            String key = request.key(start + i);
            if (!key.equals(asked.key())) {
                return "entry " + (i + 1) + " is " + quoted(key) + " (expected: " + asked.key() + ")";
            }
            String value = matches.tier.value(request, start + i);
            if (!takes(asked, value)) {
                return key + " is " + quoted(value) + " (expected: " + asked.value() + ")";
            }
        }
        return entries > path.size() ? "the descriptor goes on with " + quoted(request.key(start + path.size())) : null;
    }

    private static boolean takes(EnvoyDescriptor asked, String value) {
        return asked.value().isEmpty() || new Glob(asked.value()).matches(value);
    }

    /** Returns the part of the path that the attributes lack; null if they have all of it. */
    private @Nullable String ofAttributes(List<EnvoyDescriptor> path) {
        for (EnvoyDescriptor asked : path) {
            String value = attribute(asked.key());
            if (value == null) {
                return asked.key() + " is missing";
            }
            String method = asked.key().equals(Attributes.ENDPOINT) ? request.value(0, Attributes.METHOD) : null;
            if (!takes(asked, value) && (method == null || !takes(asked, method + " " + value))) {
                return asked.key() + " is " + quoted(value) + " (expected: " + asked.value() + ")";
            }
        }
        return null;
    }

    private @Nullable String attribute(String key) {
        String sent = request.value(0, key);
        if (key.equals(Attributes.TIER) && matches.tier.tier() != null) {
            return sent == null ? matches.tier.added(request, 0) : matches.tier.tier();
        }
        return sent == null && key.equals(Attributes.REMOTE_ADDRESS) ? request.value(0, Attributes.IP) : sent;
    }
}

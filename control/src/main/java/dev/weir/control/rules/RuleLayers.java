package dev.weir.control.rules;

import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.ruleset.RuleSetBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rule sets laid over each other. A rule in Weir's spelling takes the place of the one below with its name in its domain, and a
 * domain in Envoy's spelling that of the whole domain below: two trees in one would mean neither. What was taken the place of
 * is hidden, not gone.
 */
public final class RuleLayers {
    private final RuleSet rules;
    private final Map<Key, String> hides = new HashMap<>();
    private final Map<String, String> hidden = new TreeMap<>();
    private final int[] hiddenOf;

    private record Key(String domain, String id) {
        static Key of(Rule rule) {
            return new Key(rule.domain(), rule.id());
        }
    }

    private RuleLayers(List<RuleSet> lowerFirst) {
        RuleSet merged = lowerFirst.get(0);
        if (lowerFirst.size() > 1) {
            RuleSetBuilder builder = merged.toBuilder();
            lowerFirst.subList(1, lowerFirst.size()).forEach(builder::over);
            merged = builder.build();
        }
        rules = merged;
        hiddenOf = new int[lowerFirst.size()];
        Map<Key, Rule> inForce = new HashMap<>();
        merged.rules().forEach(each -> inForce.put(Key.of(each), each));
        for (int i = 0; i < lowerFirst.size() - 1; i++) {
            for (Rule each : lowerFirst.get(i).rules()) {
                Rule over = inForce.get(Key.of(each));
                if (over == null || !over.source().equals(each.source())) {
                    hide(i, each, over);
                }
            }
        }
    }

    private void hide(int layer, Rule rule, @Nullable Rule over) {
        hiddenOf[layer]++;
        if (over == null) {
            hidden.put(rule.source(), "another tree of domain " + rule.domain());
        } else {
            hidden.put(rule.source(), over.source());
            hides.merge(Key.of(over), rule.source(), (one, two) -> two + ", " + one);
        }
    }

    /** Lays each set over those before it. */
    public static RuleLayers of(List<RuleSet> lowerFirst) {
        return new RuleLayers(lowerFirst);
    }

    /** What is in force of them all. */
    public RuleSet rules() {
        return rules;
    }

    /** The source of the rule that {@code rule} has taken the place of, or null if it has of none. */
    public @Nullable String hiddenBy(Rule rule) {
        return hides.get(Key.of(rule));
    }

    /** The sources of all rules that are hidden, each with what hides it. */
    public Map<String, String> hidden() {
        return Map.copyOf(hidden);
    }

    /** How many rules of a layer are hidden. */
    public int hiddenOf(int layer) {
        return hiddenOf[layer];
    }
}

package dev.weir.control.rules;

import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.ruleset.WrittenRulesBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rule sets in layers. A rule in Weir's format replaces the rule with its name and domain in a lower layer. A domain in
 * Envoy's format replaces the whole domain of a lower layer, because two merged trees would mean neither. Replaced
 * rules stay visible as hidden rules.
 */
public final class RuleLayers {
    private final WrittenRules rules;
    private final Map<Key, String> hides = new HashMap<>();
    private final Map<String, String> hidden = new TreeMap<>();
    private final int[] hiddenOf;

    private record Key(String domain, String id) {
        static Key of(Rule rule) {
            return new Key(rule.domain(), rule.id());
        }
    }

    private RuleLayers(List<WrittenRules> lowerFirst) {
        WrittenRules merged = lowerFirst.get(0);
        if (lowerFirst.size() > 1) {
            WrittenRulesBuilder builder = merged.toBuilder();
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

    /** Merges the sets; each replaces rules of those before it. */
    public static RuleLayers of(List<WrittenRules> lowerFirst) {
        return new RuleLayers(lowerFirst);
    }

    /** Returns the rules that are in force. */
    public WrittenRules rules() {
        return rules;
    }

    /** Returns the source of the rule that {@code rule} replaced; null if it replaced none. */
    public @Nullable String hiddenBy(Rule rule) {
        return hides.get(Key.of(rule));
    }

    /** Returns the source of every hidden rule, with the source of the rule that hides it. */
    public Map<String, String> hidden() {
        return Map.copyOf(hidden);
    }

    /** Returns the number of hidden rules in a layer. */
    public int hiddenOf(int layer) {
        return hiddenOf[layer];
    }
}

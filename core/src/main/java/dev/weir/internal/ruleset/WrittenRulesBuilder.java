package dev.weir.internal.ruleset;

import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.LoadQuery;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects domains in Envoy's format and in Weir's. */
public final class WrittenRulesBuilder {
    final Map<String, List<EnvoyDescriptor>> envoy = new LinkedHashMap<>();
    final Map<String, List<WeirRule>> weir = new LinkedHashMap<>();
    final Map<String, LoadQuery> loadQueries = new LinkedHashMap<>();
    final Map<String, List<PriorityRule>> priorities = new LinkedHashMap<>();

    WrittenRulesBuilder() {}

    WrittenRulesBuilder(WrittenRules from) {
        envoy.putAll(from.envoy);
        weir.putAll(from.weir);
        loadQueries.putAll(from.loadQueries);
        priorities.putAll(from.priorities);
    }

    /**
     * Adds a domain in Envoy's format. Without descriptors, the domain exists and applies only limits that callers
     * send.
     *
     * @throws IllegalArgumentException if the domain exists, or two descriptors side by side have the same key and
     *     value
     */
    public WrittenRulesBuilder envoy(String domain, List<EnvoyDescriptor> descriptors) {
        requireNew(domain);
        requireDistinct(descriptors);
        envoy.put(domain, List.copyOf(descriptors));
        return this;
    }

    /** Adds a domain in Weir's format. */
    public WrittenRulesBuilder weir(String domain, List<WeirRule> rules) {
        requireNew(domain);
        weir.put(domain, List.copyOf(rules));
        return this;
    }

    /** Sets where the load of a service is read from. */
    public WrittenRulesBuilder loadQuery(LoadQuery query) {
        loadQueries.put(query.service(), query);
        return this;
    }

    /** Sets how important the requests of a domain in Weir's format are; the first that matches holds. */
    public WrittenRulesBuilder priorities(String domain, List<PriorityRule> list) {
        if (!list.isEmpty()) {
            priorities.put(domain, List.copyOf(list));
        }
        return this;
    }

    /**
     * Adds {@code rule} to its domain, replacing the rule in Weir's format with the same id, if any. The domain may
     * also be in Envoy's format.
     */
    public WrittenRulesBuilder over(WeirRule rule) {
        List<WeirRule> list = new ArrayList<>(weir.getOrDefault(rule.rule().domain(), List.of()));
        int place = placeOf(rule.rule().id(), list);
        if (place < 0) {
            list.add(rule);
        } else {
            list.set(place, rule);
        }
        weir.put(rule.rule().domain(), List.copyOf(list));
        return this;
    }

    /**
     * Adds all of {@code upper} as a higher layer. Its domains in Envoy's format replace those with the same name. Its
     * rules in Weir's format replace those with the same id, or are added.
     */
    public WrittenRulesBuilder over(WrittenRules upper) {
        envoy.putAll(upper.envoy);
        loadQueries.putAll(upper.loadQueries);
        priorities.putAll(upper.priorities);
        upper.weir.forEach((domain, rules) -> {
            Map<String, WeirRule> merged = new LinkedHashMap<>();
            weir.getOrDefault(domain, List.of())
                    .forEach(each -> merged.put(each.rule().id(), each));
            rules.forEach(each -> merged.put(each.rule().id(), each));
            weir.put(domain, List.copyOf(merged.values()));
        });
        return this;
    }

    /** Removes the rule in Weir's format with this id from its domain, if it exists. */
    public WrittenRulesBuilder without(String domain, String id) {
        List<WeirRule> list = new ArrayList<>(weir.getOrDefault(domain, List.of()));
        int place = placeOf(id, list);
        if (place >= 0) {
            list.remove(place);
            weir.put(domain, List.copyOf(list));
        }
        return this;
    }

    private static int placeOf(String id, List<WeirRule> list) {
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i).rule().id().equals(id)) {
                return i;
            }
        }
        return -1;
    }

    private void requireNew(String domain) {
        if (envoy.containsKey(domain) || weir.containsKey(domain)) {
            throw new IllegalArgumentException("domain: " + domain + " (expected: one not there yet)");
        }
    }

    private static void requireDistinct(List<EnvoyDescriptor> siblings) {
        Set<List<String>> seen = new HashSet<>();
        for (EnvoyDescriptor each : siblings) {
            if (!seen.add(List.of(each.key(), each.value()))) {
                String value = each.value().isEmpty() ? "" : "=" + each.value();
                throw new IllegalArgumentException("descriptor: " + each.key() + value + " (twice)");
            }
            requireDistinct(each.children());
        }
    }

    public WrittenRules build() {
        return new WrittenRules(this);
    }
}

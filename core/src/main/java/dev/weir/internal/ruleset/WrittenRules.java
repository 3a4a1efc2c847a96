package dev.weir.internal.ruleset;

import dev.weir.Request;
import dev.weir.internal.explain.RuleReach;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.OverrideSelector;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.LoadQuery;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The rules as written: an immutable value that is cheap to build and to layer over another. Requests are not matched
 * against it; {@link RuleIndex} compiles it once, when it comes into force.
 */
public final class WrittenRules implements OutlinedRules {
    /** By domain, in the order in which the domains were added. */
    final Map<String, List<EnvoyDescriptor>> envoy;

    final Map<String, List<WeirRule>> weir;
    final Map<String, LoadQuery> loadQueries;
    /** By domain in Weir's format: how important its requests are. */
    final Map<String, List<PriorityRule>> priorities;

    private final List<Rule> rules;
    /** The scope of each rule; null until first used. */
    private volatile @Nullable Map<Rule, String> scopes;

    WrittenRules(WrittenRulesBuilder builder) {
        this.envoy = Collections.unmodifiableMap(new LinkedHashMap<>(builder.envoy));
        this.weir = Collections.unmodifiableMap(new LinkedHashMap<>(builder.weir));
        this.loadQueries = Collections.unmodifiableMap(new LinkedHashMap<>(builder.loadQueries));
        this.priorities = Map.copyOf(builder.priorities);
        List<Rule> all = new ArrayList<>();
        envoy.values().forEach(each -> collectRules(each, all));
        weir.values().forEach(list -> list.forEach(each -> all.add(each.rule())));
        this.rules = List.copyOf(all);
    }

    private static void collectRules(List<EnvoyDescriptor> descriptors, List<Rule> into) {
        for (EnvoyDescriptor each : descriptors) {
            if (each.rule() != null) {
                into.add(each.rule());
            }
            collectRules(each.children(), into);
        }
    }

    public static WrittenRulesBuilder builder() {
        return new WrittenRulesBuilder();
    }

    /**
     * Whether a rule may ever apply to requests like {@code request}, which has one descriptor, if its {@code open}
     * attributes have any values. Endpoints are compared in {@code form}. A doubt counts as yes.
     */
    public boolean mayApply(Request request, Set<String> open, EndpointForm form) {
        RuleReach reach = new RuleReach(request, open, form);
        return reach.weir(weir.getOrDefault(request.domain(), List.of()))
                || reach.envoy(envoy.getOrDefault(request.domain(), List.of()));
    }

    /** Returns a builder with everything in this set, to add a layer over it. */
    public WrittenRulesBuilder toBuilder() {
        return new WrittenRulesBuilder(this);
    }

    /**
     * Returns a copy with every rule, descriptor and priority replaced by its function. Descriptors come one by one,
     * parents before children.
     */
    public WrittenRules map(
            UnaryOperator<WeirRule> rule,
            UnaryOperator<EnvoyDescriptor> descriptor,
            UnaryOperator<PriorityRule> priority) {
        WrittenRulesBuilder copy = toBuilder();
        copy.weir.replaceAll((domain, list) -> list.stream().map(rule).toList());
        copy.envoy.replaceAll((domain, list) -> map(list, descriptor));
        copy.priorities.replaceAll((domain, list) -> list.stream().map(priority).toList());
        return copy.build();
    }

    private static List<EnvoyDescriptor> map(List<EnvoyDescriptor> list, UnaryOperator<EnvoyDescriptor> descriptor) {
        List<EnvoyDescriptor> mapped = new ArrayList<>();
        for (EnvoyDescriptor each : list) {
            EnvoyDescriptor next = descriptor.apply(each);
            mapped.add(new EnvoyDescriptor(
                    next.key(), next.value(), next.rule(), next.shareThreshold(), map(next.children(), descriptor)));
        }
        return mapped;
    }

    /** Returns a set without rules: nothing is limited. */
    public static WrittenRules empty() {
        return builder().build();
    }

    /** Every rule as written: the domains in Envoy's format first, each in the order of its file. */
    public List<Rule> rules() {
        return rules;
    }

    /**
     * The scope of one of {@link #rules}, apart from its callers: the conditions by which an override can name the
     * rule.
     */
    public String scopeOf(Rule rule) {
        Map<Rule, String> known = scopes;
        if (known == null) {
            known = new HashMap<>();
            for (List<EnvoyDescriptor> each : envoy.values()) {
                collectScopes(each, "", known);
            }
            for (List<WeirRule> list : weir.values()) {
                for (WeirRule each : list) {
                    known.put(each.rule(), OverrideSelector.of(each.match()));
                }
            }
            scopes = known;
        }
        return known.getOrDefault(rule, "");
    }

    private static void collectScopes(List<EnvoyDescriptor> descriptors, String parent, Map<Rule, String> into) {
        for (EnvoyDescriptor each : descriptors) {
            String scope = OverrideSelector.append(parent, each.key(), each.value());
            if (each.rule() != null) {
                into.put(each.rule(), scope);
            }
            collectScopes(each.children(), scope, into);
        }
    }

    /** The rule in Weir's format that {@code rule} of {@link #rules} belongs to; null if it is in Envoy's format. */
    public @Nullable WeirRule weirRule(Rule rule) {
        for (WeirRule each : weir.getOrDefault(rule.domain(), List.of())) {
            if (each.rule() == rule) {
                return each;
            }
        }
        return null;
    }

    /** Where the loads of services are read from, by service. */
    public Map<String, LoadQuery> loadQueries() {
        return loadQueries;
    }

    /** The services whose load some rule follows. */
    public Set<String> followedServices() {
        Set<String> services = new TreeSet<>();
        for (Rule each : rules) {
            LoadCurve curve = each.follows();
            if (curve != null) {
                services.add(curve.service());
            }
        }
        return services;
    }

    /** The tiers that rules mention by name. */
    public Set<String> tiers() {
        Set<String> tiers = new TreeSet<>();
        weir.values().stream()
                .flatMap(List::stream)
                .flatMap(each -> each.match().stream())
                .filter(each -> each.attribute().equals(Attributes.TIER))
                .flatMap(each -> each.anyOf().stream())
                .filter(ValuePattern.Exact.class::isInstance)
                .forEach(each -> tiers.add(each.text()));
        envoy.values().forEach(each -> collectTiers(each, tiers));
        return tiers;
    }

    private static void collectTiers(List<EnvoyDescriptor> descriptors, Set<String> into) {
        for (EnvoyDescriptor each : descriptors) {
            if (each.key().equals(Attributes.TIER) && !each.value().isEmpty()) {
                into.add(each.value());
            }
            collectTiers(each.children(), into);
        }
    }

    /** The domains that exist, including those without a rule. */
    @Override
    public List<String> domains() {
        Set<String> names = new LinkedHashSet<>(envoy.keySet());
        names.addAll(weir.keySet());
        return List.copyOf(names);
    }

    @Override
    public List<String> ruleNames(String domain) {
        return rules.stream()
                .filter(each -> each.domain().equals(domain))
                .map(Rule::label)
                .toList();
    }

    @Override
    public List<RuleOutline> outlines() {
        Map<Rule, WeirRule> written = new HashMap<>();
        weir.values().forEach(list -> list.forEach(each -> written.put(each.rule(), each)));
        List<RuleOutline> outlines = new ArrayList<>();
        for (Rule each : rules) {
            WeirRule own = written.get(each);
            outlines.add(new RuleOutline(
                    each.domain(),
                    each.label(),
                    String.valueOf(each.limit()),
                    own != null,
                    own == null
                            ? List.of()
                            : own.match().stream().map(Condition::attribute).toList(),
                    own == null ? KeyBy.global() : own.keyBy()));
        }
        return outlines;
    }

    /** The attributes that rules of {@code domain} match or count by; empty in a domain that does not exist. */
    public Set<String> attributes(String domain) {
        Set<String> names = new TreeSet<>();
        for (WeirRule each : weir.getOrDefault(domain, List.of())) {
            each.match().forEach(condition -> names.add(condition.attribute()));
            each.keyBy().parts().forEach(names::addAll);
            if (each.rule().isCapacity()) {
                names.add(Attributes.PRIORITY);
                names.add(Attributes.METHOD);
            }
        }
        for (PriorityRule each : priorities.getOrDefault(domain, List.of())) {
            each.match().forEach(condition -> names.add(condition.attribute()));
        }
        collectKeys(envoy.getOrDefault(domain, List.of()), names);
        return names;
    }

    /** The units that rules of {@code domain} count beside requests; empty in a domain that does not exist. */
    Set<String> units(String domain) {
        Set<String> units = new TreeSet<>();
        for (WeirRule each : weir.getOrDefault(domain, List.of())) {
            units.add(each.rule().unit());
        }
        units.remove(Rule.REQUESTS);
        return units;
    }

    private static void collectKeys(List<EnvoyDescriptor> descriptors, Set<String> into) {
        for (EnvoyDescriptor each : descriptors) {
            into.add(each.key());
            collectKeys(each.children(), into);
        }
    }

    /** The attributes that some rule of {@code domain} counts by; empty in a domain that does not exist. */
    Set<String> countedBy(String domain) {
        Set<String> names = new TreeSet<>();
        for (WeirRule each : weir.getOrDefault(domain, List.of())) {
            each.keyBy().parts().forEach(names::addAll);
        }
        collectCounted(envoy.getOrDefault(domain, List.of()), names);
        return names;
    }

    private static void collectCounted(List<EnvoyDescriptor> descriptors, Set<String> into) {
        for (EnvoyDescriptor each : descriptors) {
            if (each.tellsApart()) {
                into.add(each.key());
            }
            collectCounted(each.children(), into);
        }
    }
}

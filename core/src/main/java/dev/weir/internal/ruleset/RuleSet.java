package dev.weir.internal.ruleset;

import dev.weir.Request;
import dev.weir.internal.explain.RuleExplainer;
import dev.weir.internal.explain.RuleExplanation;
import dev.weir.internal.match.Domain;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.RuleRegistrar;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.envoy.EnvoyDomain;
import dev.weir.internal.match.keyby.CounterFinder;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.match.override.OverrideMatcher;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.match.weir.WeirDomain;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An immutable, compiled snapshot of all rules; swapped whole, so that no request ever sees half a change.
 *
 * <p>It takes in copies of the rules, each with its {@linkplain Rule#ordinal place} in {@link #rules}: whatever is kept for
 * each rule can be an array, and {@code rules().get(rule.ordinal()) == rule} tells whether a rule is of this set.
 */
public final class RuleSet implements dev.weir.RuleSet {
    /** The id of the rule, one in each domain, that limits of single callers count under where no rule of the files does. */
    public static final String OVERRIDE = "#override";

    private final RuleSetBuilder from;
    private final List<Rule> rules;
    private final Map<String, Domain> domains = new LinkedHashMap<>();
    private final OverrideMatcher quotas;
    private final boolean off;
    /** By domain: the rule that limits of single callers count under, where no rule of the files does. */
    private final Map<String, Rule> standalone = new HashMap<>();

    RuleSet(RuleSetBuilder builder) {
        this.from = new RuleSetBuilder(builder);
        List<Rule> all = new ArrayList<>();
        List<String> scopes = new ArrayList<>();
        RuleRegistrar adoption = (rule, keyed, scope) -> {
            scopes.add(scope);
            return adopt(from.switches.apply(rule), keyed, all);
        };
        Map<String, EnvoyDomain> trees = new HashMap<>();
        from.envoy.forEach((name, descriptors) -> {
            EnvoyDomain tree = new EnvoyDomain(descriptors, adoption);
            trees.put(name, tree);
            domains.put(name, tree);
        });
        from.weir.forEach((name, list) -> {
            WeirDomain plain = new WeirDomain(list, adoption);
            EnvoyDomain tree = trees.get(name);
            domains.put(name, tree == null ? plain : new LayeredDomain(tree, plain));
        });
        if (from.quotas != OverrideLookup.NONE) {
            domains.keySet().forEach(name -> standalone.put(name, adoption.adopt(standalone(name), true, "")));
        }
        this.quotas = new OverrideMatcher(from.quotas, scopes);
        this.rules = List.copyOf(all);
        this.off = from.switches.everything() == SwitchState.OFF;
    }

    private static Rule adopt(Rule rule, boolean keyed, List<Rule> all) {
        Rule adopted = rule.withOrdinal(all.size(), keyed);
        all.add(adopted);
        return adopted;
    }

    /** Its id begins with {@code #}, as no name does, and is no hash. */
    private static Rule standalone(String domain) {
        return Rule.builder(domain, OVERRIDE)
                .label("override")
                .source("database")
                .build();
    }

    public static RuleSetBuilder builder() {
        return new RuleSetBuilder();
    }

    /** A builder with everything in this set, to put a layer over it. */
    public RuleSetBuilder toBuilder() {
        return new RuleSetBuilder(from);
    }

    RuleSetBuilder from() {
        return from;
    }

    /** No rules: nothing is limited. */
    public static RuleSet empty() {
        return builder().build();
    }

    /** Every rule, in the order of the files; the index of each is its {@link Rule#ordinal}. */
    public List<Rule> rules() {
        return rules;
    }

    /** What everything was switched to. */
    public SwitchState everything() {
        return from.switches.everything();
    }

    /** What each rule is about, beside whom: the words by which an override can name it. */
    public String scopeOf(Rule rule) {
        return quotas.scope(rule);
    }

    /** The tiers that some rule asks for by name. */
    public Set<String> tiers() {
        Set<String> tiers = new TreeSet<>();
        from.weir.values().stream()
                .flatMap(List::stream)
                .flatMap(each -> each.match().stream())
                .filter(each -> each.attribute().equals(Attributes.TIER))
                .flatMap(each -> each.anyOf().stream())
                .filter(ValuePattern.Exact.class::isInstance)
                .forEach(each -> tiers.add(each.text()));
        from.envoy.values().forEach(each -> collectTiers(each, tiers));
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

    /** The domains that exist, also those without a rule. */
    @Override
    public List<String> domains() {
        return List.copyOf(domains.keySet());
    }

    @Override
    public List<String> ruleNames(String domain) {
        return rules.stream()
                .filter(each -> each.domain().equals(domain))
                .map(Rule::label)
                .toList();
    }

    /** The attributes that rules of {@code domain} match or count by; empty in a domain that does not exist. */
    public Set<String> attributes(String domain) {
        Set<String> names = new TreeSet<>();
        for (WeirRule each : from.weir.getOrDefault(domain, List.of())) {
            each.match().forEach(condition -> names.add(condition.attribute()));
            each.keyBy().parts().forEach(names::addAll);
        }
        collectKeys(from.envoy.getOrDefault(domain, List.of()), names);
        return names;
    }

    private static void collectKeys(List<EnvoyDescriptor> descriptors, Set<String> into) {
        for (EnvoyDescriptor each : descriptors) {
            into.add(each.key());
            collectKeys(each.children(), into);
        }
    }

    /** Whether {@code domain} exists. */
    public boolean hasDomain(String domain) {
        return domains.containsKey(domain);
    }

    /** Finds what {@code request} meets; in a domain that does not exist, or while everything is off, nothing. */
    public void match(Request request, Matches into) {
        into.clear();
        Domain domain = domains.get(request.domain());
        if (domain == null || off) {
            return;
        }
        Rule own = standalone.get(request.domain());
        CallerOverrides quota = own == null ? null : quotas.find(request, into);
        if (own == null || quota == null) {
            domain.match(request, into);
            return;
        }
        into.tier = quota.tier();
        domain.match(request, into);
        quotas.apply(request, quota, own, into);
    }

    /** Which counter {@code verdict} on {@code request} speaks of; null if it counts nothing, or the rules have changed. */
    public @Nullable CounterLabel counter(Request request, MutableVerdict verdict) {
        CounterFinder probe = new CounterFinder(verdict.rule(), verdict.descriptor());
        Matches matches = new Matches();
        matches.probe = probe;
        match(request, matches);
        return probe.found;
    }

    /**
     * How every rule of the domain looked at {@code request}, which has one descriptor, in the order of {@link #rules}; none in a
     * domain that does not exist. For people who ask why: it takes its time.
     */
    public List<RuleExplanation> look(Request request) {
        Matches matches = new Matches();
        match(request, matches);
        List<Rule> adopted = rules.stream()
                .filter(each ->
                        each.domain().equals(request.domain()) && !each.id().equals(OVERRIDE))
                .toList();
        RuleExplainer sightings = new RuleExplainer(request, matches);
        sightings.envoy(from.envoy.getOrDefault(request.domain(), List.of()), adopted);
        List<WeirRule> plain = from.weir.getOrDefault(request.domain(), List.of());
        sightings.weir(plain, adopted.subList(adopted.size() - plain.size(), adopted.size()));
        return sightings.found();
    }

    /** The tier that was agreed with whoever sends {@code request}; null where none was. */
    public @Nullable String agreedTier(Request request) {
        Matches matches = new Matches();
        match(request, matches);
        return matches.tier;
    }
}

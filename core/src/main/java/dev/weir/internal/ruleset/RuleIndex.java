package dev.weir.internal.ruleset;

import dev.weir.Request;
import dev.weir.internal.explain.RuleExplainer;
import dev.weir.internal.explain.RuleExplanation;
import dev.weir.internal.match.Domain;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.RuleRegistrar;
import dev.weir.internal.match.envoy.EnvoyDomain;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.match.override.OverrideMatcher;
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
import org.jspecify.annotations.Nullable;

/**
 * A {@link WrittenRules} compiled for matching, with the operators' switches and the callers' overrides laid over it. Immutable and
 * swapped whole, so that no request sees half a change. Compiling is what an edit costs: do it once, when the rules come into
 * force.
 *
 * <p>The index holds copies of the rules, each with its {@linkplain Rule#ordinal place} in {@link #rules}: whatever is kept for
 * each rule can be an array, and {@code rules().get(rule.ordinal()) == rule} tells whether a rule is of this index.
 */
public final class RuleIndex {
    /** The id of the rule, one in each domain, that limits of single callers count under where no rule of the files does. */
    public static final String OVERRIDE = "#override";

    private final WrittenRules source;
    private final SwitchState everything;
    private final List<Rule> rules;
    private final Map<String, Domain> domains = new LinkedHashMap<>();
    private final OverrideMatcher quotas;
    private final boolean off;
    /** By domain: the rule that limits of single callers count under, where no rule of the files does. */
    private final Map<String, Rule> standalone = new HashMap<>();

    private RuleIndex(WrittenRules source, OverrideLookup quotas, RuleSwitches switches) {
        this.source = source;
        this.everything = switches.everything();
        List<Rule> all = new ArrayList<>();
        List<String> scopes = new ArrayList<>();
        RuleRegistrar adoption = (rule, keyed, scope) -> {
            scopes.add(scope);
            return adopt(switches.apply(rule), keyed, all);
        };
        Map<String, EnvoyDomain> trees = new HashMap<>();
        source.envoy.forEach((name, descriptors) -> {
            EnvoyDomain tree = new EnvoyDomain(descriptors, adoption);
            trees.put(name, tree);
            domains.put(name, tree);
        });
        source.weir.forEach((name, list) -> {
            WeirDomain plain = new WeirDomain(list, adoption);
            EnvoyDomain tree = trees.get(name);
            domains.put(name, tree == null ? plain : new LayeredDomain(tree, plain));
        });
        if (quotas != OverrideLookup.NONE) {
            domains.keySet().forEach(name -> standalone.put(name, adoption.adopt(standalone(name), true, "")));
        }
        this.quotas = new OverrideMatcher(quotas, scopes);
        this.rules = List.copyOf(all);
        this.off = everything == SwitchState.OFF;
    }

    /** Compiles {@code rules} as they were written. */
    public static RuleIndex of(WrittenRules rules) {
        return of(rules, OverrideLookup.NONE, RuleSwitches.NONE);
    }

    /**
     * Compiles {@code rules}.
     *
     * @param quotas asked, for every request, what was agreed with its caller: it may change under the index
     * @param switches take precedence over what the rules say
     */
    public static RuleIndex of(WrittenRules rules, OverrideLookup quotas, RuleSwitches switches) {
        return new RuleIndex(rules, quotas, switches);
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

    /** The rules that this was compiled from, as they were written. */
    public WrittenRules source() {
        return source;
    }

    /** Every rule, in the order of {@link WrittenRules#rules}; the index of each is its {@link Rule#ordinal}. */
    public List<Rule> rules() {
        return rules;
    }

    /** What everything was switched to. */
    public SwitchState everything() {
        return everything;
    }

    /** What one of {@link #rules} is about, beside whom: the words by which an override can name it. */
    public String scopeOf(Rule rule) {
        return quotas.scope(rule);
    }

    /** The domains that exist, also those without a rule. */
    public List<String> domains() {
        return List.copyOf(domains.keySet());
    }

    /** Whether {@code domain} exists. */
    public boolean hasDomain(String domain) {
        return domains.containsKey(domain);
    }

    /** Finds what {@code request} meets; in a domain that does not exist, or while everything is off, nothing. */
    public void match(Request request, Matches into) {
        match(request, into, request.namesCounter());
    }

    private void match(Request request, Matches into, boolean noting) {
        into.clear(noting);
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

    /**
     * Which counter {@code verdict} on {@code request} speaks of; null if it counts nothing, or the rules have changed. Matches
     * the request again: whoever decides asks with {@link Request#nameCounter} instead.
     */
    public @Nullable CounterLabel counter(Request request, MutableVerdict verdict) {
        Matches matches = new Matches();
        match(request, matches, true);
        return matches.counter(verdict);
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
        sightings.envoy(source.envoy.getOrDefault(request.domain(), List.of()), adopted);
        List<WeirRule> plain = source.weir.getOrDefault(request.domain(), List.of());
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

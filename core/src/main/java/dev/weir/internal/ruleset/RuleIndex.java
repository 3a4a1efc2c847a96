package dev.weir.internal.ruleset;

import dev.weir.Request;
import dev.weir.internal.explain.RuleCompleter;
import dev.weir.internal.explain.RuleCompletion;
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
import dev.weir.internal.match.override.ReputationLookup;
import dev.weir.internal.match.override.ReputationMatcher;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.IpAddress;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link WrittenRules} compiled for matching, with the operators' switches and the callers' overrides applied. It is
 * immutable and replaced as a whole, so that no request sees half a change. Compiling is expensive: do it once, when
 * the rules come into force.
 *
 * <p>The index holds copies of the rules, each with its {@linkplain Rule#ordinal place} in {@link #rules}. Data per
 * rule can therefore be an array, and {@code rules().get(rule.ordinal()) == rule} tells whether a rule belongs to this
 * index.
 */
public final class RuleIndex {
    /** The id of a rule, one per domain, that counts callers' overrides which no rule of the files counts. */
    public static final String OVERRIDE = "#override";

    private final WrittenRules source;
    private final SwitchState everything;
    private final List<Rule> rules;
    private final Map<String, Domain> domains = new LinkedHashMap<>();
    private final OverrideMatcher quotas;
    private final boolean off;
    private final boolean mayWait;
    /** By domain: the rule that counts callers' overrides which no rule of the files counts. */
    private final Map<String, Rule> standalone = new HashMap<>();
    /** By domain: its attributes, once a caller has asked for them. */
    private final Map<String, Set<String>> attributes = new ConcurrentHashMap<>();
    /** By domain: its units, once a caller has named one. */
    private final Map<String, Set<String>> units = new ConcurrentHashMap<>();

    /** Null if no rule looks at reputations. */
    private final @Nullable ReputationMatcher reputation;

    private final EndpointForm endpointForm;
    private final Map<String, Set<String>> countedBy = new HashMap<>();

    private RuleIndex(
            WrittenRules source,
            OverrideLookup quotas,
            RuleSwitches switches,
            EndpointForm endpointForm,
            UnaryOperator<Rule> underLoad,
            ReputationLookup reputations) {
        this.source = source;
        this.endpointForm = endpointForm;
        this.everything = switches.everything();
        List<Rule> all = new ArrayList<>();
        List<String> scopes = new ArrayList<>();
        RuleRegistrar adoption = (rule, keyed, scope) -> {
            scopes.add(scope);
            return adopt(switches.apply(underLoad.apply(rule)), keyed, all);
        };
        Map<String, EnvoyDomain> trees = new HashMap<>();
        source.envoy.forEach((name, descriptors) -> {
            EnvoyDomain tree = new EnvoyDomain(descriptors, adoption);
            trees.put(name, tree);
            domains.put(name, tree);
        });
        source.weir.forEach((name, list) -> {
            WeirDomain plain =
                    new WeirDomain(list, source.priorities.getOrDefault(name, List.of()), endpointForm, adoption);
            EnvoyDomain tree = trees.get(name);
            domains.put(name, tree == null ? plain : new LayeredDomain(tree, plain));
        });
        domains.keySet().forEach(name -> countedBy.put(name, source.countedBy(name)));
        if (quotas != OverrideLookup.NONE) {
            domains.keySet().forEach(name -> standalone.put(name, adoption.adopt(standalone(name), true, "")));
        }
        this.quotas = new OverrideMatcher(quotas, scopes);
        this.rules = List.copyOf(all);
        this.reputation = ReputationMatcher.of(rules, reputations);
        this.off = everything == SwitchState.OFF;
        this.mayWait = rules.stream().anyMatch(rule -> rule.queue() != null || rule.tarpitMicros() > 0);
    }

    /** Compiles {@code rules} without switches or overrides. */
    public static RuleIndex of(WrittenRules rules) {
        return of(rules, OverrideLookup.NONE, RuleSwitches.NONE);
    }

    /**
     * Compiles {@code rules}.
     *
     * @param quotas looks up the caller's quota for every request; its contents may change while the index is in use
     * @param switches take precedence over the rules
     */
    public static RuleIndex of(WrittenRules rules, OverrideLookup quotas, RuleSwitches switches) {
        return of(rules, quotas, switches, EndpointForm.NORMAL);
    }

    /** Compiles {@code rules} as above; rules in Weir's format compare endpoints in {@code endpointForm}. */
    public static RuleIndex of(
            WrittenRules rules, OverrideLookup quotas, RuleSwitches switches, EndpointForm endpointForm) {
        return of(rules, quotas, switches, endpointForm, UnaryOperator.identity(), ReputationLookup.NONE);
    }

    /**
     * Compiles {@code rules} as above.
     *
     * @param underLoad returns a rule with the limit that its load leaves in force
     * @param reputations looks up the reputation of callers; its contents may change while the index is in use
     */
    public static RuleIndex of(
            WrittenRules rules,
            OverrideLookup quotas,
            RuleSwitches switches,
            EndpointForm endpointForm,
            UnaryOperator<Rule> underLoad,
            ReputationLookup reputations) {
        return new RuleIndex(rules, quotas, switches, endpointForm, underLoad, reputations);
    }

    /** Whether requests of some rule may wait: for their turn, or for their denial. */
    public boolean mayWait() {
        return mayWait;
    }

    /** The form in which rules in Weir's format compare endpoints. */
    public EndpointForm endpointForm() {
        return endpointForm;
    }

    private static Rule adopt(Rule rule, boolean keyed, List<Rule> all) {
        Rule adopted = rule.withOrdinal(all.size(), keyed);
        all.add(adopted);
        return adopted;
    }

    /** Creates the rule for overrides. Its id begins with {@code #}, which no name does, and it is not a hash. */
    private static Rule standalone(String domain) {
        return Rule.builder(domain, OVERRIDE)
                .label("override")
                .source("database")
                .build();
    }

    /** The rules that this was compiled from, as written. */
    public WrittenRules source() {
        return source;
    }

    /** Every rule, in the order of {@link WrittenRules#rules}; the index of each is its {@link Rule#ordinal}. */
    public List<Rule> rules() {
        return rules;
    }

    /** The global switch. */
    public SwitchState everything() {
        return everything;
    }

    /**
     * The scope of one of {@link #rules}, apart from its callers: the conditions by which an override can name the
     * rule.
     */
    public String scopeOf(Rule rule) {
        return quotas.scope(rule);
    }

    /** The domains that exist, including those without a rule. */
    public List<String> domains() {
        return List.copyOf(domains.keySet());
    }

    /** The attributes that some rule of {@code domain} counts by. */
    public Set<String> countedBy(String domain) {
        return countedBy.getOrDefault(domain, Set.of());
    }

    /** Whether {@code domain} exists. */
    public boolean hasDomain(String domain) {
        return domains.containsKey(domain);
    }

    /** Finds the rules that match {@code request}; none in an unknown domain, or while the global switch is off. */
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
        } else {
            into.tier.set(quota.tier());
            into.endpointForm = endpointForm;
            domain.match(request, into);
            quotas.apply(request, quota, own, into);
        }
        if (reputation != null) {
            reputation.apply(request, into);
        }
        BiPredicate<String, Integer> only = request.onlyRules();
        if (only != null) {
            into.retain(only);
        }
    }

    /**
     * Returns the counter of {@code verdict} on {@code request}; null if nothing was counted, or if the rules have
     * changed. It matches the request again; code that decides should use {@link Request#nameCounter} instead.
     */
    public @Nullable CounterLabel counter(Request request, MutableVerdict verdict) {
        Matches matches = new Matches();
        match(request, matches, true);
        return matches.counter(verdict);
    }

    /**
     * Explains for every rule of the domain whether it applies to {@code request}, which has one descriptor. The order
     * is that of {@link #rules}; empty in an unknown domain. It is slow, and meant for people.
     */
    public List<RuleExplanation> look(Request request) {
        Matches matches = new Matches();
        match(request, matches);
        List<Rule> adopted = adopted(request.domain());
        RuleExplainer sightings = new RuleExplainer(request, matches, endpointForm);
        sightings.envoy(source.envoy.getOrDefault(request.domain(), List.of()), adopted);
        List<WeirRule> plain = source.weir.getOrDefault(request.domain(), List.of());
        sightings.weir(plain, adopted.subList(adopted.size() - plain.size(), adopted.size()));
        return sightings.found();
    }

    /**
     * The attributes of {@code request}, which has one descriptor, that rules in Weir's format compare otherwise than it
     * spells them, each as it is compared.
     */
    public Map<String, String> compared(Request request) {
        Map<String, String> compared = new LinkedHashMap<>();
        boolean any = source.weir.containsKey(request.domain()) && request.descriptors() > 0;
        for (int i = 0; any && i < request.end(0); i++) {
            String name = request.key(i);
            String value = request.value(i);
            String form = name.equals(Attributes.ENDPOINT)
                    ? endpointForm.of(value)
                    : Attributes.isAddress(name) ? IpAddress.normalForm(value) : value;
            if (form == null) {
                compared.putIfAbsent(name, "text, because it is not an address");
            } else if (!form.equals(value)) {
                compared.putIfAbsent(name, form);
            }
        }
        return compared;
    }

    /**
     * Finds rules that {@code request}, which has one descriptor, does not meet because it lacks attributes, though it
     * has all that they count by; {@code most} of them at most. It is slow, and meant for people.
     */
    public List<RuleCompletion> completions(Request request, int most) {
        List<Rule> adopted = adopted(request.domain());
        RuleCompleter completer = new RuleCompleter(request, most);
        if (!request.isAttributes()) {
            completer.envoy(source.envoy.getOrDefault(request.domain(), List.of()), adopted);
        }
        List<WeirRule> plain = source.weir.getOrDefault(request.domain(), List.of());
        completer.weir(plain, adopted.subList(adopted.size() - plain.size(), adopted.size()));
        return completer.found();
    }

    /** The index copies of the rules that the files have for {@code domain}, in their order. */
    private List<Rule> adopted(String domain) {
        return rules.stream()
                .filter(each -> each.domain().equals(domain) && !each.id().equals(OVERRIDE))
                .toList();
    }

    /** The attributes that rules of {@code domain} match or count by; empty in a domain that does not exist. */
    public Set<String> attributes(String domain) {
        return attributes.computeIfAbsent(hasDomain(domain) ? domain : "", source::attributes);
    }

    /** The units that rules of {@code domain} count beside requests; empty in a domain that does not exist. */
    public Set<String> units(String domain) {
        return units.computeIfAbsent(hasDomain(domain) ? domain : "", source::units);
    }

    /** The tier that an override gives the caller of {@code request}; null if there is none. */
    public @Nullable String tierOverride(Request request) {
        Matches matches = new Matches();
        match(request, matches);
        return matches.tier.tier();
    }
}

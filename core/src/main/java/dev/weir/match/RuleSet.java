package dev.weir.match;

import dev.weir.model.Request;
import dev.weir.model.Rule;
import dev.weir.model.SwitchState;
import dev.weir.model.Verdict;
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
public final class RuleSet {
    /** The id of the rule, one in each domain, that limits of single callers count under where no rule of the files does. */
    public static final String OVERRIDE = "#override";

    private final Builder from;
    private final List<Rule> rules;
    private final Map<String, Domain> domains = new LinkedHashMap<>();
    private final QuotaMatching quotas;
    private final boolean off;
    /** By domain: the rule that limits of single callers count under, where no rule of the files does. */
    private final Map<String, Rule> standalone = new HashMap<>();

    private RuleSet(Builder builder) {
        this.from = new Builder(builder);
        List<Rule> all = new ArrayList<>();
        List<String> scopes = new ArrayList<>();
        Adoption adoption = (rule, keyed, scope) -> {
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
        if (from.quotas != Quotas.NONE) {
            domains.keySet().forEach(name -> standalone.put(name, adoption.adopt(standalone(name), true, "")));
        }
        this.quotas = new QuotaMatching(from.quotas, scopes);
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

    public static Builder builder() {
        return new Builder();
    }

    /** A builder with everything in this set, to put a layer over it. */
    public Builder toBuilder() {
        return new Builder(from);
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
    public List<String> domains() {
        return List.copyOf(domains.keySet());
    }

    /** Finds what {@code request} meets; in a domain that does not exist, or while everything is off, nothing. */
    public void match(Request request, Matches into) {
        into.clear();
        Domain domain = domains.get(request.domain());
        if (domain == null || off) {
            return;
        }
        Rule own = standalone.get(request.domain());
        Quota quota = own == null ? null : quotas.find(request, into);
        if (own == null || quota == null) {
            domain.match(request, into);
            return;
        }
        into.tier = quota.tier();
        domain.match(request, into);
        quotas.apply(request, quota, own, into);
    }

    /** Which counter {@code verdict} on {@code request} speaks of; null if it counts nothing, or the rules have changed. */
    public @Nullable Counter counter(Request request, Verdict verdict) {
        CounterProbe probe = new CounterProbe(verdict.rule(), verdict.descriptor());
        Matches matches = new Matches();
        matches.probe = probe;
        match(request, matches);
        return probe.found;
    }

    /**
     * How every rule of the domain looked at {@code request}, which has one descriptor, in the order of {@link #rules}; none in a
     * domain that does not exist. For people who ask why: it takes its time.
     */
    public List<Sighting> look(Request request) {
        Matches matches = new Matches();
        match(request, matches);
        List<Rule> adopted = rules.stream()
                .filter(each ->
                        each.domain().equals(request.domain()) && !each.id().equals(OVERRIDE))
                .toList();
        Sightings sightings = new Sightings(request, matches);
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

    /** Collects domains of either spelling. */
    public static final class Builder {
        private final Map<String, List<EnvoyDescriptor>> envoy = new LinkedHashMap<>();
        private final Map<String, List<WeirRule>> weir = new LinkedHashMap<>();
        private Quotas quotas = Quotas.NONE;
        private RuleSwitches switches = RuleSwitches.NONE;

        private Builder() {}

        private Builder(Builder other) {
            envoy.putAll(other.envoy);
            weir.putAll(other.weir);
            quotas = other.quotas;
            switches = other.switches;
        }

        /** Adds a domain in Envoy's spelling; without descriptors it exists and limits only what callers limit themselves. */
        public Builder envoy(String domain, List<EnvoyDescriptor> descriptors) {
            requireNew(domain);
            envoy.put(domain, List.copyOf(descriptors));
            return this;
        }

        /** Adds a domain in Weir's spelling. */
        public Builder weir(String domain, List<WeirRule> rules) {
            requireNew(domain);
            weir.put(domain, List.copyOf(rules));
            return this;
        }

        /**
         * Puts {@code rule} over its domain: in the place of the rule in Weir's spelling that has its id, or as one more, also
         * in a domain of Envoy's spelling.
         */
        public Builder over(WeirRule rule) {
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
         * Puts all of {@code upper} over what is here: its domains in Envoy's spelling in the place of those with the same
         * name, its rules in Weir's spelling in the place of those with the same id, or as more of them.
         */
        public Builder over(RuleSet upper) {
            envoy.putAll(upper.from.envoy);
            upper.from.weir.forEach((domain, rules) -> {
                Map<String, WeirRule> merged = new LinkedHashMap<>();
                weir.getOrDefault(domain, List.of())
                        .forEach(each -> merged.put(each.rule().id(), each));
                rules.forEach(each -> merged.put(each.rule().id(), each));
                weir.put(domain, List.copyOf(merged.values()));
            });
            return this;
        }

        /** Takes the rule in Weir's spelling with this id out of its domain, if it is there. */
        public Builder without(String domain, String id) {
            List<WeirRule> list = new ArrayList<>(weir.getOrDefault(domain, List.of()));
            int place = placeOf(id, list);
            if (place >= 0) {
                list.remove(place);
                weir.put(domain, List.copyOf(list));
            }
            return this;
        }

        /** Asks {@code quotas} what was agreed with callers, for every request from now on: they may change under the set. */
        public Builder quotas(Quotas quotas) {
            this.quotas = quotas;
            return this;
        }

        /** Goes by {@code switches}, whatever the rules themselves say. */
        public Builder switches(RuleSwitches switches) {
            this.switches = switches;
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

        public RuleSet build() {
            return new RuleSet(this);
        }
    }
}

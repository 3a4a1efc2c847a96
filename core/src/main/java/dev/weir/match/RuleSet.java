package dev.weir.match;

import dev.weir.model.Request;
import dev.weir.model.Rule;
import dev.weir.model.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An immutable, compiled snapshot of all rules; swapped whole, so that no request ever sees half a change.
 *
 * <p>It takes in copies of the rules, each with its {@linkplain Rule#ordinal place} in {@link #rules}: whatever is kept for
 * each rule can be an array, and {@code rules().get(rule.ordinal()) == rule} tells whether a rule is of this set.
 */
public final class RuleSet {
    private final List<Rule> rules;
    private final Map<String, Domain> domains = new LinkedHashMap<>();

    private RuleSet(Builder builder) {
        List<Rule> all = new ArrayList<>();
        builder.envoy.forEach((name, descriptors) ->
                domains.put(name, new EnvoyDomain(descriptors, (rule, keyed) -> adopt(rule, keyed, all))));
        builder.weir.forEach((name, list) ->
                domains.put(name, new WeirDomain(list, (rule, keyed) -> adopt(rule, keyed, all))));
        this.rules = List.copyOf(all);
    }

    private static Rule adopt(Rule rule, boolean keyed, List<Rule> all) {
        Rule adopted = rule.withOrdinal(all.size(), keyed);
        all.add(adopted);
        return adopted;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** No rules: nothing is limited. */
    public static RuleSet empty() {
        return builder().build();
    }

    /** Every rule, in the order of the files; the index of each is its {@link Rule#ordinal}. */
    public List<Rule> rules() {
        return rules;
    }

    /** The domains that exist, also those without a rule. */
    public List<String> domains() {
        return List.copyOf(domains.keySet());
    }

    /** Finds what {@code request} meets; in a domain that does not exist, nothing. */
    public void match(Request request, Matches into) {
        into.clear();
        Domain domain = domains.get(request.domain());
        if (domain != null) {
            domain.match(request, into);
        }
    }

    /** Which counter {@code verdict} on {@code request} speaks of; null if it counts nothing, or the rules have changed. */
    public @Nullable Counter counter(Request request, Verdict verdict) {
        CounterProbe probe = new CounterProbe(verdict.rule(), verdict.descriptor());
        Matches matches = new Matches();
        matches.probe = probe;
        match(request, matches);
        return probe.found;
    }

    /** Collects domains of either spelling. */
    public static final class Builder {
        private final Map<String, List<EnvoyDescriptor>> envoy = new LinkedHashMap<>();
        private final Map<String, List<WeirRule>> weir = new LinkedHashMap<>();

        private Builder() {}

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

package dev.weir.match;

import dev.weir.model.Rule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An immutable, compiled snapshot of all rules; swapped whole, so that no request ever sees half a change. */
public final class RuleSet {
    private final List<Rule> rules;

    private RuleSet(Builder builder) {
        List<Rule> all = new ArrayList<>();
        builder.envoy.values().forEach(descriptors -> collect(descriptors, all));
        builder.weir.values().forEach(list -> list.forEach(each -> all.add(each.rule())));
        this.rules = List.copyOf(all);
    }

    private static void collect(List<EnvoyDescriptor> descriptors, List<Rule> into) {
        for (EnvoyDescriptor each : descriptors) {
            if (each.rule() != null) {
                into.add(each.rule());
            }
            collect(each.children(), into);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** No rules: nothing is limited. */
    public static RuleSet empty() {
        return builder().build();
    }

    /** Every rule, in the order of the files. */
    public List<Rule> rules() {
        return rules;
    }

    /** Collects domains of either spelling. */
    public static final class Builder {
        private final Map<String, List<EnvoyDescriptor>> envoy = new LinkedHashMap<>();
        private final Map<String, List<WeirRule>> weir = new LinkedHashMap<>();

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

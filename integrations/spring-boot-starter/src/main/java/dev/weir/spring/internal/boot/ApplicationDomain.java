package dev.weir.spring.internal.boot;

import dev.weir.Weir;
import dev.weir.internal.ruleset.UnknownRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The domain whose rules limit HTTP calls, and methods that name no other. */
public record ApplicationDomain(String name) {
    /** The domain of rule files that name none. */
    private static final String USUAL = "default";

    static ApplicationDomain of(Weir weir, WeirProperties properties) {
        List<String> domains = weir.rules().domains();
        String set = properties.getDomain();
        if (set == null && RemoteStore.isServer(properties.getStore())) {
            // Not the only one that the server has: it would depend on whether the server answers during the start.
            set = USUAL;
        }
        if (set != null && (weir.rules() == UnknownRules.INSTANCE || domains.contains(set))) {
            return new ApplicationDomain(set);
        }
        if (set == null && domains.size() == 1) {
            return new ApplicationDomain(domains.get(0));
        }
        throw new WeirStartFailure(
                "weir.domain: " + told(properties.getDomain(), set) + ", and the rules have "
                        + (domains.isEmpty() ? "no domain." : "the domains " + String.join(", ", domains) + "."),
                "Set weir.domain to the domain whose rules limit this application.");
    }

    private static String told(@Nullable String property, @Nullable String domain) {
        if (property != null) {
            return property;
        }
        return domain == null ? "not set" : "not set, which is " + domain;
    }
}

package dev.weir.spring.internal.boot;

import dev.weir.RuleSet;
import dev.weir.WeirObserver;
import dev.weir.internal.ruleset.OutlinedRules;
import dev.weir.internal.ruleset.RuleOutline;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where each rule of the application's domain is asked: before Spring Security, after it, or by methods. A rule that needs the
 * user, or an attribute that only the application knows, is asked after it. Follows the rules as they change.
 */
public final class RulePhases implements WeirObserver {
    /** The attributes that every call has before anybody is authenticated. */
    private static final Set<String> EARLY = Set.of("endpoint", "method", "route", "ip", "api_key");

    private final Set<String> early = new HashSet<>(EARLY);
    private volatile Set<String> before = Set.of();
    private volatile Set<String> methods = Set.of();
    private volatile @Nullable RuleSet rules;

    /** @param headerAttributes attributes that are read from headers, and known as early as these */
    public RulePhases(Set<String> headerAttributes) {
        early.addAll(headerAttributes);
    }

    /** Sets the rules that methods ask; no HTTP call does. */
    public void methods(Set<String> ruleNames) {
        methods = Set.copyOf(ruleNames);
    }

    @Override
    public void rulesChanged(RuleSet next) {
        Set<String> names = new HashSet<>();
        if (next instanceof OutlinedRules known) {
            for (RuleOutline each : known.outlines()) {
                if (each.attributes() && early.containsAll(each.needed())) {
                    names.add(key(each.domain(), each.name()));
                }
            }
        }
        before = names;
        rules = next;
    }

    private static String key(String domain, String rule) {
        return domain + '\n' + rule;
    }

    /** Whether HTTP calls ask the rule. */
    public boolean isHttp(String rule) {
        return !methods.contains(rule);
    }

    /** Whether HTTP calls ask the rule before Spring Security. */
    public boolean isBeforeSecurity(String domain, String rule) {
        return before.contains(key(domain, rule)) && isHttp(rule);
    }

    /** Whether HTTP calls ask the rule after Spring Security. */
    public boolean isAfterSecurity(String domain, String rule) {
        return !before.contains(key(domain, rule)) && isHttp(rule);
    }

    /** The names of the rules in {@code domain}, in their order; empty until their server has sent them. */
    public Set<String> names(String domain) {
        RuleSet current = rules;
        return current == null ? Set.of() : new LinkedHashSet<>(current.ruleNames(domain));
    }
}

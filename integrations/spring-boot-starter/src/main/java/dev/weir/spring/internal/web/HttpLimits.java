package dev.weir.spring.internal.web;

import dev.weir.LoadShedder;
import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.internal.ruleset.OutlinedRules;
import dev.weir.spring.HttpLimiterCustomizer;
import dev.weir.spring.internal.boot.RulePhases;
import dev.weir.spring.internal.boot.WeirProperties;
import dev.weir.spring.internal.boot.WeirProperties.Phase;
import dev.weir.spring.internal.boot.WeirStartFailure;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The limiters of HTTP calls, with the places at which they stand: one, or one on each side of Spring Security. Calls that
 * Spring Security refuses are counted before it; the user is known after it.
 */
public final class HttpLimits {
    private static final Set<String> USUAL =
            Set.of("endpoint", "method", "route", "ip", "user_id", "api_key", "priority");
    /** The second is there without the servlet API, which the first needs. */
    private static final List<String> SECURITY = List.of(
            "org.springframework.security.web.FilterChainProxy",
            "org.springframework.security.web.server.WebFilterChainProxy");

    private static final String FORWARDING = "server.forward-headers-strategy";
    /** The order of Spring Security's chain, unless a property sets another. */
    private static final int SECURITY_ORDER = -100;

    private final Weir weir;
    private final String domain;
    private final boolean customized;
    /** The attributes of a call that nobody but the properties adds to. */
    private final Set<String> known = new HashSet<>(USUAL);

    private final int securityOrder;
    private final boolean secured;
    private final Phase phase;
    private final PathExclusions exclusions;
    private final @Nullable HttpLimiter before;
    private final @Nullable HttpLimiter after;

    public HttpLimits(
            Weir weir,
            String domain,
            WeirProperties properties,
            RulePhases phases,
            List<HttpLimiterCustomizer> customizers,
            Environment environment) {
        WeirProperties.Http http = properties.getHttp();
        this.domain = domain;
        this.exclusions = new PathExclusions(http.getExclude());
        this.securityOrder = environment.getProperty("spring.security.filter.order", Integer.class, SECURITY_ORDER);
        this.secured =
                SECURITY.stream().anyMatch(each -> ClassUtils.isPresent(each, HttpLimits.class.getClassLoader()));
        this.phase = http.getPhase();
        checkForwarding(http, environment);
        this.customized = !customizers.isEmpty();
        this.weir = weir;
        this.known.addAll(http.getAttributes().keySet());
        LoadShedder shedder = http.isShedder() ? LoadShedder.create() : null;
        Predicate<String> all = phases::isHttp;
        if (secured && phase == Phase.AUTO) {
            before = limiter(weir, http, customizers, shedder, rule -> phases.isBeforeSecurity(domain, rule));
            after = limiter(weir, http, customizers, null, rule -> phases.isAfterSecurity(domain, rule));
        } else if (phase == Phase.BEFORE_SECURITY) {
            before = limiter(weir, http, customizers, shedder, all);
            after = null;
        } else {
            before = null;
            after = limiter(weir, http, customizers, shedder, all);
        }
    }

    /**
     * The attributes that rules need and no call has, so that these rules limit no call; empty if the application may add
     * them. Rules of methods are not looked at.
     */
    public Set<String> unknownAttributes(Predicate<String> isHttpRule) {
        Set<String> unknown = new TreeSet<>();
        if (!customized && weir.rules() instanceof OutlinedRules rules) {
            rules.outlines().stream()
                    .filter(each -> each.domain().equals(domain) && isHttpRule.test(each.name()))
                    .forEach(each -> unknown.addAll(each.needed()));
            unknown.removeAll(known);
        }
        return unknown;
    }

    /** The proxies' header would be read twice, the second time by somebody who trusts other proxies. */
    private static void checkForwarding(WeirProperties.Http http, Environment environment) {
        String strategy = environment.getProperty(FORWARDING);
        if (!http.getTrustedProxies().isEmpty() && strategy != null && !strategy.equalsIgnoreCase("none")) {
            throw new WeirStartFailure(
                    "weir.http.trusted-proxies and " + FORWARDING + ": " + strategy
                            + " are both set, but only one of them can replace the caller's address.",
                    "Remove one. With " + FORWARDING + " the rules see the address that the server reports.");
        }
    }

    private HttpLimiter limiter(
            Weir weir,
            WeirProperties.Http http,
            List<HttpLimiterCustomizer> customizers,
            @Nullable LoadShedder shedder,
            Predicate<String> rules) {
        try {
            HttpLimiter.Builder builder =
                    configured(weir, http, customizers).domain(domain).onlyRules(rules);
            if (shedder != null) {
                builder.shedder(shedder);
            }
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new WeirStartFailure(
                    "weir.http: " + WeirStartFailure.messageOf(e), "Correct the value of the property.", e);
        }
    }

    /**
     * A limiter with what the properties and the application say about every call.
     *
     * @throws IllegalArgumentException if a property is wrong
     */
    public static HttpLimiter.Builder configured(
            Weir weir, WeirProperties.Http http, List<HttpLimiterCustomizer> customizers) {
        HttpLimiter.Builder builder = HttpLimiter.builder(weir);
        if (!http.getTrustedProxies().isEmpty()) {
            builder.trustedProxies(http.getTrustedProxies(), http.getForwardedHeader());
        }
        http.getAttributes().forEach(builder::attributeFromHeader);
        if (!http.isHeaders()) {
            builder.hideHeaders();
        }
        customizers.forEach(each -> each.customize(builder));
        return builder;
    }

    /** The limiter in front of Spring Security; null if there is none. */
    public @Nullable HttpLimiter before() {
        return before;
    }

    /** The limiter behind Spring Security; null if there is none. */
    public @Nullable HttpLimiter after() {
        return after;
    }

    /** The order of {@link #before} among the filters. */
    public int orderBefore() {
        return securityOrder - 10;
    }

    /** The order of {@link #after} among the filters. */
    public int orderAfter() {
        return securityOrder + 10;
    }

    /** Whether the application has Spring Security. */
    public boolean isSecured() {
        return secured;
    }

    public PathExclusions exclusions() {
        return exclusions;
    }

    public String domain() {
        return domain;
    }
}

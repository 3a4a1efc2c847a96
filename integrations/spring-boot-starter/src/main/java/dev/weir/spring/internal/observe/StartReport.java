package dev.weir.spring.internal.observe;

import dev.weir.Weir;
import dev.weir.spring.internal.boot.ApplicationDomain;
import dev.weir.spring.internal.boot.RulePhases;
import dev.weir.spring.internal.boot.WeirProperties;
import dev.weir.spring.internal.boot.WeirStartFailure;
import dev.weir.spring.internal.methods.LimitedMethods;
import dev.weir.spring.internal.web.HttpLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;

/** Says in one line of the log what is limited, where the counters are, and in which order rules are asked. */
public final class StartReport implements ApplicationListener<ApplicationStartedEvent> {
    private static final Logger LOG = LoggerFactory.getLogger("dev.weir.spring");

    private final Weir weir;
    private final WeirProperties properties;
    private final String domain;
    private final RulePhases phases;
    private final LimitedMethods methods;
    private final @Nullable HttpLimits http;
    private final boolean gateway;

    StartReport(
            Weir weir,
            WeirProperties properties,
            ApplicationDomain domain,
            RulePhases phases,
            LimitedMethods methods,
            @Nullable HttpLimits http,
            boolean gateway) {
        this.weir = weir;
        this.properties = properties;
        this.domain = domain.name();
        this.phases = phases;
        this.methods = methods;
        this.http = http;
        this.gateway = gateway;
    }

    @Override
    public void onApplicationEvent(ApplicationStartedEvent event) {
        LOG.info(text());
        Set<String> unknown = http == null ? Set.of() : http.unknownAttributes(phases::isHttp);
        if (!unknown.isEmpty()) {
            LOG.warn(
                    "the rules of domain {} use {}, which HTTP calls do not have, so they limit no call: add"
                            + " weir.http.attributes.NAME: HEADER, or an HttpLimiterCustomizer",
                    domain,
                    unknown);
        }
    }

    /** The line, such as {@code Weir limits domain default (counters: memory): HTTP before security at -110: per-ip}. */
    String text() {
        StringBuilder text = new StringBuilder("Weir limits domain ")
                .append(domain)
                .append(" (counters: ")
                .append(WeirStartFailure.withoutPassword(properties.getStore()))
                .append(weir.serves() ? "" : ", which does not answer yet: on_fail decides")
                .append("): ");
        List<String> parts = new ArrayList<>();
        if (http != null) {
            addHttp(http, parts);
        }
        if (gateway) {
            parts.add("gateway routes with the filter Weir");
        }
        List<String> limited = methods.describe();
        if (!limited.isEmpty()) {
            parts.add("methods " + String.join(", ", limited));
        }
        return text.append(parts.isEmpty() ? "nothing" : String.join("; ", parts))
                .toString();
    }

    private void addHttp(HttpLimits limits, List<String> parts) {
        String security = limits.isSecured() ? " security" : " other filters";
        boolean two = limits.before() != null && limits.after() != null;
        if (limits.before() != null) {
            BiPredicate<String, String> asked = two ? phases::isBeforeSecurity : (ignored, rule) -> phases.isHttp(rule);
            parts.add("HTTP before" + security + " (" + limits.orderBefore() + ") " + rules(asked));
        }
        if (limits.after() != null) {
            BiPredicate<String, String> asked = two ? phases::isAfterSecurity : (ignored, rule) -> phases.isHttp(rule);
            parts.add("HTTP after" + security + " (" + limits.orderAfter() + ") " + rules(asked));
        }
    }

    private String rules(BiPredicate<String, String> asked) {
        if (weir.rules().domains().isEmpty()) {
            return "the rules of the server";
        }
        List<String> names = phases.names(domain).stream()
                .filter(each -> asked.test(domain, each))
                .toList();
        return names.isEmpty() ? "no rule" : String.join(", ", names);
    }
}

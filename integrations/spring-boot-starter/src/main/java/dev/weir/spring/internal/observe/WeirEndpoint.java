package dev.weir.spring.internal.observe;

import dev.weir.Decision;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.VerdictSentence;
import dev.weir.internal.ruleset.OutlinedRules;
import dev.weir.internal.ruleset.RuleOutline;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.spring.internal.boot.ApplicationDomain;
import dev.weir.spring.internal.boot.RulePhases;
import dev.weir.spring.internal.boot.WeirProperties;
import dev.weir.spring.internal.boot.WeirStartFailure;
import dev.weir.spring.internal.methods.LimitedMethods;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The actuator endpoint {@code weir}: the rules and methods, and with {@code caller=} what a caller has left. */
@Endpoint(id = "weir")
public final class WeirEndpoint {
    private final Weir weir;
    private final WeirProperties properties;
    private final String domain;
    private final RulePhases phases;
    private final LimitedMethods methods;

    WeirEndpoint(
            Weir weir, WeirProperties properties, ApplicationDomain domain, RulePhases phases, LimitedMethods methods) {
        this.weir = weir;
        this.properties = properties;
        this.domain = domain.name();
        this.phases = phases;
        this.methods = methods;
    }

    /**
     * The rules; or, with {@code caller}, what is left of those that apply to it. Nothing is taken.
     *
     * @param caller attributes such as {@code api_key=acme,endpoint=POST /orders}
     */
    @ReadOperation
    public Map<String, Object> weir(
            @org.springframework.lang.Nullable String caller, @org.springframework.lang.Nullable String domain) {
        return caller == null ? rules() : left(caller, domain == null ? this.domain : domain);
    }

    private Map<String, Object> rules() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("store", WeirStartFailure.withoutPassword(properties.getStore()));
        answer.put("serves", weir.serves());
        answer.put("domain", domain);
        RuleSet rules = weir.rules();
        List<Map<String, Object>> all = new ArrayList<>();
        if (rules instanceof WrittenRules written) {
            for (Rule each : written.rules()) {
                all.add(rule(each, written.weirRule(each)));
            }
        } else if (rules instanceof OutlinedRules served) {
            served.outlines().forEach(each -> all.add(rule(each)));
        }
        answer.put("rules", all);
        answer.put("methods", methods.describe());
        return answer;
    }

    private Map<String, Object> rule(Rule rule, @Nullable WeirRule written) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("domain", rule.domain());
        answer.put("name", rule.label());
        answer.put("limit", limit(rule.limit()));
        if (written != null) {
            Map<String, Object> match = new LinkedHashMap<>();
            written.match()
                    .forEach(each -> match.put(
                            each.attribute(),
                            each.anyOf().stream().map(pattern -> pattern.text()).toList()));
            answer.put("match", match);
            answer.put("key_by", written.keyBy().parts());
        }
        addAsked(rule.domain(), rule.label(), answer);
        return answer;
    }

    /** A rule of a server, without the values that it matches, which are not sent. */
    private Map<String, Object> rule(RuleOutline rule) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("domain", rule.domain());
        answer.put("name", rule.name());
        answer.put("limit", rule.limit());
        answer.put("match", rule.match());
        answer.put("key_by", rule.keyBy().parts());
        addAsked(rule.domain(), rule.name(), answer);
        return answer;
    }

    private void addAsked(String of, String rule, Map<String, Object> answer) {
        if (of.equals(domain)) {
            answer.put(
                    "asked",
                    !phases.isHttp(rule)
                            ? "by methods"
                            : phases.isBeforeSecurity(domain, rule) ? "before security" : "after security");
        }
    }

    private Map<String, Object> left(String caller, String domain) {
        Request request = Request.to(domain).asAttributes().takeNothing().withoutPermits();
        for (String each : caller.split(",", -1)) {
            int at = each.indexOf('=');
            if (at < 1) {
                throw new IllegalArgumentException(
                        "caller: " + each + " (expected: attribute=value, such as api_key=acme,endpoint=POST /orders)");
            }
            request.with(each.substring(0, at).strip(), each.substring(at + 1).strip());
        }
        Decision decision = weir.decide(request);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("domain", domain);
        // A decision that takes nothing is allowed even where nothing is left.
        answer.put("passes", decision.allowed() && decision.verdicts().stream().allMatch(WeirEndpoint::hasRoom));
        answer.put("degraded", decision.degraded());
        answer.put(
                "limits",
                decision.verdicts().stream().map(WeirEndpoint::verdict).toList());
        return answer;
    }

    private static boolean hasRoom(Verdict verdict) {
        return verdict.shadow() || verdict.degraded() || verdict.limit() == null || verdict.remaining() > 0;
    }

    private static String limit(@Nullable Limit limit) {
        return limit == null ? "unlimited" : VerdictSentence.limit(limit);
    }

    private static Map<String, Object> verdict(Verdict verdict) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("rule", String.valueOf(verdict.ruleName()));
        answer.put("limit", limit(verdict.limit()));
        answer.put("remaining", verdict.remaining());
        answer.put("reset_seconds", verdict.reset().toMillis() / 1000.0);
        answer.put("reason", verdict.reason().name());
        return answer;
    }
}

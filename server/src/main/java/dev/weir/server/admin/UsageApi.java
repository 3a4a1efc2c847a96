package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.JsonOutput;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows a caller's usage: each limit is checked with zero hits, as for a request of the caller. */
final class UsageApi {

    private final Limiter limiter;
    private final OptionalControlPlane control;

    UsageApi(Limiter limiter, OptionalControlPlane control) {
        this.limiter = limiter;
        this.control = control;
    }

    /** {@code GET /admin/v1/usage/{api_key}}; waits for the store. */
    HttpAnswer get(AdminCall call) {
        String apiKey = call.path("api_key", QuotaApi.MAX_KEY_LENGTH);
        String domain = domain(call.query("domain"));
        CallerOverrides quota = control.inForce(apiKey);
        Map<String, @Nullable MutableVerdict> usage = new LinkedHashMap<>();
        MutableDecision plain = AwaitedDecision.ask(
                limiter,
                Request.to(domain).with("api_key", apiKey).asAttributes().takeNothing());
        String tier = quota == null ? null : quota.tier();
        List<LimitOverride> overrides = quota == null ? List.of() : quota.overrides();
        MutableVerdict byDefault = ofTier(plain, tier);
        usage.put(LimitOverride.DEFAULT, byDefault == null ? plain.binding() : byDefault);
        for (LimitOverride each : overrides) {
            usage.put(each.descriptor(), ask(domain, apiKey, each, tier));
        }
        return new HttpAnswer(
                200,
                HttpAnswer.JSON,
                JsonOutput.bytes(out -> write(out, apiKey, quota, usage, plain.nowMicros())),
                List.of());
    }

    private String domain(@Nullable String named) {
        List<String> domains = limiter.index().domains();
        if (named != null && domains.contains(named)) {
            return named;
        }
        if (named == null && domains.size() == 1) {
            return domains.get(0);
        }
        throw HttpProblemException.badRequest("domain: " + (named == null ? "missing" : "unknown")
                + " (expected: one of " + String.join(", ", domains.subList(0, Math.min(20, domains.size()))) + ")");
    }

    private static @Nullable MutableVerdict ofTier(MutableDecision decision, @Nullable String tier) {
        for (int i = 0; i < decision.size(); i++) {
            Rule rule = decision.verdict(i).rule();
            if (rule != null && rule.name().equals("tier:" + tier)) {
                return decision.verdict(i);
            }
        }
        return null;
    }

    /** The verdict on a request that the override applies to. */
    private @Nullable MutableVerdict ask(String domain, String apiKey, LimitOverride override, @Nullable String tier) {
        RuleIndex rules = limiter.index();
        Map<String, String> attributes = override.attributes();
        for (Rule each : rules.rules()) {
            if (attributes.isEmpty() && override.names(each.name(), rules.scopeOf(each), tier)) {
                attributes = LimitOverride.attributesOf(rules.scopeOf(each));
            }
        }
        Request request =
                Request.to(domain).with("api_key", apiKey).asAttributes().takeNothing();
        attributes.forEach(request::with);
        MutableDecision decision = AwaitedDecision.ask(limiter, request);
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            boolean own = rule != null && rule.limit() == null && override.own().equals(verdict.limit());
            if (rule != null && (own || override.names(rule.name(), rules.scopeOf(rule), tier))) {
                return verdict;
            }
        }
        return null;
    }

    private static void write(
            JsonGenerator out,
            String apiKey,
            @Nullable CallerOverrides quota,
            Map<String, @Nullable MutableVerdict> usage,
            long now)
            throws IOException {
        out.writeStartObject();
        out.writeStringField("api_key", apiKey);
        out.writeStringField("tier", quota == null ? null : quota.tier());
        MutableVerdict first = usage.get(LimitOverride.DEFAULT);
        if (first == null || first.limit() == null) {
            first = usage.values().stream()
                    .filter(each -> each != null && each.limit() != null)
                    .findFirst()
                    .orElse(null);
        }
        if (first != null && first.limit() != null) {
            writeWindow(out, first.limit(), now);
        }
        out.writeObjectFieldStart("usage");
        for (Map.Entry<String, @Nullable MutableVerdict> each : usage.entrySet()) {
            MutableVerdict verdict = each.getValue();
            Limit limit = verdict == null ? null : verdict.limit();
            if (verdict != null && limit != null) {
                out.writeObjectFieldStart(each.getKey());
                out.writeNumberField("limit", limit.size());
                if (verdict.degraded()) {
                    out.writeBooleanField("degraded", true); // its store did not answer, so the usage is unknown
                } else {
                    out.writeNumberField("used", Math.max(0, limit.size() - verdict.remaining() + verdict.debt()));
                    out.writeNumberField("remaining", verdict.remaining());
                    if (verdict.debt() > 0) {
                        out.writeNumberField("debt", verdict.debt());
                    }
                }
                Rule rule = verdict.rule();
                out.writeStringField("rule", rule == null ? null : rule.label());
                out.writeEndObject();
            }
        }
        out.writeEndObject();
        out.writeEndObject();
    }

    /** Writes the current window: of a fixed window the one by the clock, of all others the one that ends now. */
    private static void writeWindow(JsonGenerator out, Limit limit, long now) throws IOException {
        boolean fixed = limit.algorithm() == Algorithm.FIXED_WINDOW;
        long start = fixed ? limit.windowStart(now) : now - limit.windowMicros();
        out.writeObjectFieldStart("current_window");
        out.writeStringField("start", time(start));
        out.writeStringField("end", time(fixed ? limit.windowEnd(now) : now));
        out.writeEndObject();
    }

    private static String time(long micros) {
        return Instant.EPOCH
                .plus(micros, ChronoUnit.MICROS)
                .truncatedTo(ChronoUnit.MILLIS)
                .toString();
    }
}

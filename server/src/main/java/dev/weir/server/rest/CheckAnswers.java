package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Request;
import dev.weir.http.internal.DenialProblem;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.http.internal.RetryAfter;
import dev.weir.http.internal.VerdictNumbers;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.request.UnknownNames;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the answer to a check: numbers and headers, and for a denial the reason, the counter and the wait. */
final class CheckAnswers {
    private static final String UNENFORCED = "concurrency rules do not apply to a check, because it cannot release what"
            + " it takes (use /v1/concurrency/acquire)";

    private static final byte[] NOTHING = {};

    private final RateLimitFields fields;
    private final RetryAfter retryAfter;

    CheckAnswers(RestSettings settings) {
        this.fields = new RateLimitFields(settings.draft());
        this.retryAfter = new RetryAfter(settings.retryJitter());
    }

    /** Returns 200, or the status of the denial's cause with a problem that has the reason. */
    HttpAnswer of(Request request, MutableDecision decision, RuleIndex rules) {
        return with(request, decision, rules, json -> {});
    }

    /** Returns the same; an admission has {@code more} members. */
    HttpAnswer with(Request request, MutableDecision decision, RuleIndex rules, JsonOutput.Writing more) {
        if (decision.allowed()) {
            return allowed(decision, rules, json -> {
                if (leavesOut(decision)) {
                    unenforced(json, decision);
                    json.writeStringField("detail", UNENFORCED);
                } else {
                    wrongNames(json, request, decision, rules);
                }
                more.to(json);
            });
        }
        List<String> headers = fields.of(decision);
        VerdictNumbers retry = DenialProblem.retry(decision);
        if (retry != null) {
            headers = new ArrayList<>(headers);
            headers.add("Retry-After");
            headers.add(retryAfter.seconds(retry));
        }
        return new HttpAnswer(decision.status(), HttpAnswer.PROBLEM, DenialProblem.of(decision), headers);
    }

    /**
     * Returns what a gateway needs of {@code decision}: an empty 200 with the headers, or the denial. Marks for the
     * upstream are headers that the gateway passes on, or does not.
     */
    HttpAnswer forwarded(Request request, MutableDecision decision, RuleIndex rules, ForwardQuery query) {
        if (!decision.allowed()) {
            HttpAnswer denial = of(request, decision, rules);
            return query.denyAs() == 0
                    ? denial
                    : denial.with("X-Weir-Status", Integer.toString(decision.status()))
                            .withStatus(query.denyAs());
        }
        List<String> headers = new ArrayList<>(fields.of(decision));
        String location = query.location();
        if (location != null) {
            headers.addAll(List.of("X-Accel-Redirect", location));
        }
        if (decision.isShadowBanned()) {
            headers.addAll(List.of("X-Weir-Shadow-Ban", "true"));
        }
        TakenPermits permits = decision.permits();
        if (permits != null && leavesOut(decision)) {
            headers.addAll(List.of("X-Weir-Unenforced", RateLimitFields.list(permits.unenforced())));
        }
        return new HttpAnswer(200, HttpAnswer.TEXT, NOTHING, headers);
    }

    /** Returns 200 with {@code permit}, which lasts until {@code expiry}, null if it stands for nothing. */
    HttpAnswer acquired(
            Request request, MutableDecision decision, RuleIndex rules, String permit, @Nullable Instant expiry) {
        return allowed(decision, rules, json -> {
                    json.writeStringField("permit", permit);
                    if (expiry != null) {
                        json.writeStringField("expires_at", expiry.toString());
                    } else if (!wrongNames(json, request, decision, rules) && decision.size() > 0) {
                        json.writeStringField("detail", "no permit was taken: no concurrency rule decided");
                    }
                })
                .with("Cache-Control", "no-store");
    }

    private HttpAnswer allowed(MutableDecision decision, RuleIndex rules, JsonOutput.Writing more) {
        VerdictNumbers told = VerdictNumbers.binding(decision);
        byte[] body = JsonOutput.bytes(json -> {
            json.writeStartObject();
            json.writeBooleanField("allowed", true);
            if (told != null) {
                numbers(json, told);
                json.writeStringField("rule", told.name());
            }
            delay(json, decision);
            degraded(json, decision);
            switched(json, decision, rules.everything());
            more.to(json);
            json.writeEndObject();
        });
        return new HttpAnswer(200, HttpAnswer.JSON, body, fields.of(decision));
    }

    /** Whether concurrency rules matched and were left out, because the caller cannot release. */
    static boolean leavesOut(MutableDecision decision) {
        TakenPermits permits = decision.permits();
        return permits != null && !permits.unenforced().isEmpty();
    }

    private static void unenforced(JsonGenerator json, MutableDecision decision) throws IOException {
        TakenPermits permits = decision.permits();
        if (permits != null) {
            json.writeArrayFieldStart("unenforced");
            for (String each : permits.unenforced()) {
                json.writeString(each);
            }
            json.writeEndArray();
        }
    }

    /**
     * Says so if a rule may not apply because of a wrong name: a unit that no rule counts, or attributes of a request that
     * meets no rule. Such a request passes without that limit.
     */
    private static boolean wrongNames(JsonGenerator json, Request request, MutableDecision decision, RuleIndex rules)
            throws IOException {
        String domain = request.domain();
        if (decision.size() == 0 && !rules.hasDomain(domain)) {
            json.writeStringField("reason", "unknown_domain");
            json.writeStringField("detail", UnknownNames.domain(domain, rules.domains()));
            return true;
        }
        List<String> units = request.units();
        String unknown = units.isEmpty() ? null : UnknownNames.units(units, rules.units(domain));
        if (unknown == null && decision.size() == 0) {
            unknown = UnknownNames.attributes(request, rules.attributes(domain));
        }
        if (unknown != null) {
            json.writeStringField("detail", unknown);
        }
        return unknown != null;
    }

    /** Returns 200 always, for callers that read only the body. */
    HttpAnswer alwaysOk(MutableDecision decision) {
        VerdictNumbers told = VerdictNumbers.binding(decision);
        byte[] body = JsonOutput.bytes(json -> {
            json.writeStartObject();
            json.writeBooleanField("allowed", decision.allowed());
            if (told != null) {
                numbers(json, told);
                VerdictNumbers retry = DenialProblem.retry(decision);
                if (retry != null) {
                    json.writeNumberField("retry_after", retry.retryAfterSeconds());
                }
            }
            delay(json, decision);
            degraded(json, decision);
            if (leavesOut(decision)) {
                unenforced(json, decision);
                json.writeStringField("detail", UNENFORCED);
            }
            json.writeEndObject();
        });
        return new HttpAnswer(200, HttpAnswer.JSON, body, fields.of(decision));
    }

    /** Returns every limit that applied, with the hits left. */
    static HttpAnswer status(MutableDecision decision) {
        byte[] body = JsonOutput.bytes(json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("limits");
            for (int i = 0; i < decision.size(); i++) {
                VerdictNumbers told = VerdictNumbers.of(decision.verdict(i), decision);
                if (told != null) {
                    json.writeStartObject();
                    json.writeStringField("name", told.name());
                    String unit = told.unit();
                    if (unit != null) {
                        json.writeStringField("unit", unit);
                    }
                    json.writeNumberField("limit", told.quota());
                    Long whole = told.whole();
                    if (whole != null) {
                        json.writeNumberField("whole", whole);
                    }
                    json.writeNumberField("remaining", told.remaining());
                    debt(json, told);
                    json.writeNumberField("reset_at", told.resetAt());
                    if (told.isConcurrency() && !told.verdict().degraded()) {
                        json.writeNumberField("in_flight", Math.max(0, told.quota() - told.remaining()));
                    }
                    if (told.verdict().shadow()) {
                        json.writeBooleanField("shadow", true);
                    }
                    if (told.verdict().degraded()) {
                        json.writeBooleanField("degraded", true);
                    }
                    json.writeEndObject();
                }
            }
            json.writeEndArray();
            json.writeEndObject();
        });
        return new HttpAnswer(200, HttpAnswer.JSON, body, List.of("Cache-Control", "no-store"));
    }

    private static void numbers(JsonGenerator json, VerdictNumbers told) throws IOException {
        json.writeNumberField("remaining", told.remaining());
        debt(json, told);
        json.writeNumberField("limit", told.quota());
        json.writeNumberField("reset_at", told.resetAt());
    }

    private static void debt(JsonGenerator json, VerdictNumbers told) throws IOException {
        if (told.debt() > 0) {
            json.writeNumberField("debt", told.debt());
        }
    }

    private static void delay(JsonGenerator json, MutableDecision decision) throws IOException {
        long micros = decision.delayMicros();
        if (micros > 0) {
            json.writeNumberField("delay_ms", micros / 1_000 + (micros % 1_000 > 0 ? 1 : 0));
        }
    }

    private static void degraded(JsonGenerator json, MutableDecision decision) throws IOException {
        if (decision.degraded()) {
            json.writeBooleanField("degraded", true);
        }
    }

    /**
     * Lists the switches that affected the request, which explain why it passed although a rule file says otherwise.
     */
    private static void switched(JsonGenerator json, MutableDecision decision, SwitchState everything)
            throws IOException {
        Map<String, String> switched = new LinkedHashMap<>();
        if (everything != SwitchState.ON) {
            switched.put("all", everything.text());
        }
        for (int i = 0; i < decision.size() && everything == SwitchState.ON; i++) {
            Rule rule = decision.verdict(i).rule();
            SwitchState state = rule == null ? null : rule.switched();
            if (rule != null && state != null) {
                switched.put(rule.label(), rule.isRollingOut() ? "rollout " + rule.rolloutPercent() : state.text());
            }
        }
        if (!switched.isEmpty()) {
            json.writeObjectFieldStart("switched");
            for (Map.Entry<String, String> each : switched.entrySet()) {
                json.writeStringField(each.getKey(), each.getValue());
            }
            json.writeEndObject();
        }
    }
}

package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.problem.DenialProblem;
import dev.weir.server.problem.VerdictNumbers;
import dev.weir.server.request.UnknownNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes the answer to a check: numbers and headers, and for a denial the reason, the counter and the wait. */
final class CheckAnswers {
    private final RateLimitFields fields;
    private final RetryAfter retryAfter;

    CheckAnswers(RestSettings settings) {
        this.fields = new RateLimitFields(settings);
        this.retryAfter = new RetryAfter(settings.retryJitter());
    }

    /** Returns 200, or the status of the denial's cause with a problem that tells the reason. */
    HttpAnswer of(Request request, MutableDecision decision, RuleIndex rules) {
        VerdictNumbers told = VerdictNumbers.binding(decision);
        List<String> headers = fields.of(decision);
        if (decision.allowed()) {
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
                if (decision.size() == 0) {
                    unmatched(json, request, rules);
                }
                json.writeEndObject();
            });
            return new HttpAnswer(200, HttpAnswer.JSON, body, headers);
        }
        VerdictNumbers retry = DenialProblem.retry(decision);
        if (retry != null) {
            headers = new ArrayList<>(headers);
            headers.add("Retry-After");
            headers.add(retryAfter.seconds(retry));
        }
        return new HttpAnswer(decision.status(), HttpAnswer.PROBLEM, DenialProblem.of(decision), headers);
    }

    /** Says so if no rule applies because of a wrong name: such a request passes without a limit. */
    private static void unmatched(JsonGenerator json, Request request, RuleIndex rules) throws IOException {
        String domain = request.domain();
        if (!rules.hasDomain(domain)) {
            json.writeStringField("reason", "unknown_domain");
            json.writeStringField("detail", UnknownNames.domain(domain, rules.domains()));
            return;
        }
        String unknown = UnknownNames.attributes(request, rules.attributes(domain));
        if (unknown != null) {
            json.writeStringField("detail", unknown);
        }
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
                    json.writeNumberField("limit", told.quota());
                    json.writeNumberField("remaining", told.remaining());
                    json.writeNumberField("reset_at", told.resetAt());
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
        json.writeNumberField("limit", told.quota());
        json.writeNumberField("reset_at", told.resetAt());
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

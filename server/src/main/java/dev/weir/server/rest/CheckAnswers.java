package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.model.VerdictSentence;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.JsonOutput;
import dev.weir.server.request.UnknownNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes the answer to a check: numbers and headers, and for a denial the reason, the counter and the wait. */
final class CheckAnswers {
    private static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

    private final RateLimitFields fields;
    private final RetryAfter retryAfter;

    CheckAnswers(RestSettings settings) {
        this.fields = new RateLimitFields(settings);
        this.retryAfter = new RetryAfter(settings.retryJitter());
    }

    /** Returns 200, or 429 with the reason; 503 if no limit is used up, but a required store does not answer. */
    HttpAnswer of(Request request, MutableDecision decision, RuleIndex rules) {
        return with(request, decision, rules, json -> {});
    }

    /** Returns the same; an admission has {@code more} members. */
    HttpAnswer with(Request request, MutableDecision decision, RuleIndex rules, JsonOutput.Writing more) {
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
                more.to(json);
                json.writeEndObject();
            });
            return new HttpAnswer(200, HttpAnswer.JSON, body, headers);
        }
        if (told != null && (told.passesLater() || told.storeDown())) {
            headers = new ArrayList<>(headers);
            headers.add("Retry-After");
            headers.add(retryAfter.seconds(told));
        }
        int status = told != null && told.storeDown() ? 503 : 429;
        return new HttpAnswer(
                status, HttpAnswer.PROBLEM, JsonOutput.bytes(json -> denial(json, status, decision, told)), headers);
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
                if (!decision.allowed() && (told.passesLater() || told.storeDown())) {
                    json.writeNumberField("retry_after", told.retryAfterSeconds());
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
                    String unit = told.unit();
                    if (unit != null) {
                        json.writeStringField("unit", unit);
                    }
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

    private static void denial(JsonGenerator json, int status, MutableDecision decision, @Nullable VerdictNumbers told)
            throws IOException {
        boolean quota = status == 429;
        json.writeStartObject();
        json.writeStringField("type", quota ? QUOTA_EXCEEDED : "about:blank");
        json.writeStringField(
                "title",
                quota ? "Request cannot be satisfied as assigned quota has been exceeded" : "Service Unavailable");
        json.writeNumberField("status", status);
        json.writeBooleanField("allowed", false);
        if (told != null) {
            String whose = Objects.requireNonNullElse(decision.counterName(), "");
            json.writeStringField("detail", VerdictSentence.of(told.verdict(), whose));
            numbers(json, told);
            if (told.passesLater() || told.storeDown()) {
                json.writeNumberField("retry_after", told.retryAfterSeconds());
            }
            if (told.knowsWhen()) {
                json.writeStringField("passes_at", told.passesAt().toString());
            }
            json.writeStringField("rule", told.name());
            json.writeStringField("counter", whose);
            json.writeStringField("reason", told.verdict().reason().name().toLowerCase(Locale.ROOT));
        }
        degraded(json, decision);
        json.writeArrayFieldStart("violated-policies");
        List<String> named = new ArrayList<>();
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            String name = VerdictNumbers.name(verdict);
            if (!verdict.allowed() && !verdict.shadowed() && !named.contains(name)) {
                named.add(name);
                json.writeString(name);
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}

package dev.weir.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.explain.RuleExplanation;
import dev.weir.internal.explain.VerdictExplanation;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.JsonOutput;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Explains how a request would be decided: every rule of its domain, and the counters of those that apply. Takes
 * nothing.
 */
final class ExplainApi {

    private final Limiter limiter;

    ExplainApi(Limiter limiter) {
        this.limiter = limiter;
    }

    /** Handles {@code POST /admin/v1/explain}; blocks for the stores. */
    HttpAnswer explain(byte[] body) {
        ExplainBody asked = ExplainBody.read(body, limiter.index().domains());
        RuleIndex rules = limiter.index();
        List<RuleExplanation> sightings = rules.look(asked.request());
        MutableDecision decision = AwaitedDecision.ask(limiter, asked.request());
        byte[] json = JsonOutput.bytes(out -> {
            out.writeStartObject();
            out.writeStringField("domain", asked.request().domain());
            out.writeNumberField("hits", asked.hits());
            out.writeBooleanField("would_pass", wouldPass(decision, asked.hits()));
            out.writeStringField("tier", rules.tierOverride(asked.request()));
            out.writeStringField("everything", rules.everything().text());
            out.writeStringField("endpoint_form", rules.endpointForm().text());
            out.writeObjectFieldStart("compared");
            for (Map.Entry<String, String> each :
                    rules.compared(asked.request()).entrySet()) {
                out.writeStringField(each.getKey(), each.getValue());
            }
            out.writeEndObject();
            out.writeArrayFieldStart("rules");
            for (RuleExplanation each : sightings) {
                write(out, each.rule(), each.met(), each.why(), asked, verdictOn(each.rule(), decision));
            }
            for (int i = 0; i < decision.size(); i++) {
                Rule rule = decision.verdict(i).rule();
                if (rule != null && rule.id().equals(RuleIndex.OVERRIDE)) {
                    write(out, rule, true, "it was agreed with this caller", asked, decision.verdict(i));
                }
            }
            out.writeEndArray();
            out.writeEndObject();
        });
        return new HttpAnswer(200, HttpAnswer.JSON, json, List.of());
    }

    private static @Nullable MutableVerdict verdictOn(Rule rule, MutableDecision decision) {
        for (int i = 0; i < decision.size(); i++) {
            if (decision.verdict(i).rule() == rule) {
                return decision.verdict(i);
            }
        }
        return null;
    }

    /**
     * Whether the request would pass. A quota denies only if all quotas of the request deny; every other rule denies
     * alone.
     */
    private static boolean wouldPass(MutableDecision decision, long hits) {
        boolean quota = false;
        boolean quotaHasRoom = false;
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            boolean room = hasRoom(verdict, hits);
            if (rule == null || verdict.shadow()) {
                continue;
            }
            if (!rule.quota() && !room) {
                return false;
            }
            quota |= rule.quota();
            quotaHasRoom |= rule.quota() && room;
        }
        return !quota || quotaHasRoom;
    }

    private static boolean hasRoom(MutableVerdict verdict, long hits) {
        return verdict.allowed()
                && (verdict.limit() == null || verdict.degraded() || verdict.remaining() >= needed(verdict, hits));
    }

    private static long needed(MutableVerdict verdict, long hits) {
        Rule rule = verdict.rule();
        return rule == null ? hits : rule.costOf(hits);
    }

    private void write(
            JsonGenerator out, Rule rule, boolean met, String why, ExplainBody asked, @Nullable MutableVerdict verdict)
            throws IOException {
        out.writeStartObject();
        out.writeStringField("rule", rule.label());
        out.writeBooleanField("met", met);
        out.writeStringField("why", why);
        out.writeStringField("source", rule.source());
        out.writeStringField("mode", rule.isOff() ? "off" : rule.shadow() ? "shadow" : "on");
        SwitchState switched = rule.switched();
        if (switched != null) {
            out.writeStringField("switched", switched.text());
        }
        if (rule.isRollingOut()) {
            out.writeStringField("rollout", rule.rolloutPercent() + "%");
        }
        if (met && verdict != null) {
            counter(out, rule, verdict, asked);
        }
        out.writeEndObject();
    }

    private void counter(JsonGenerator out, Rule rule, MutableVerdict verdict, ExplainBody asked) throws IOException {
        VerdictExplanation explained = limiter.explain(asked.request(), verdict);
        out.writeStringField("counter", explained.counter());
        out.writeStringField("bucket", explained.bucket());
        out.writeStringField("store", limiter.stores().isEmpty() ? "memory" : rule.store());
        out.writeStringField("consistency", rule.consistency().name().toLowerCase(Locale.ROOT));
        out.writeBooleanField("degraded", verdict.degraded());
        Limit limit = verdict.limit();
        if (limit != null) {
            limit(out, rule, limit);
            if (!verdict.degraded()) {
                long needed = needed(verdict, asked.hits());
                out.writeNumberField("used", Math.max(0, limit.capacity() - verdict.remaining()));
                out.writeNumberField("remaining", verdict.remaining());
                out.writeNumberField("reset_in", verdict.resetMicros() / 1e6);
                out.writeBooleanField("has_room", hasRoom(verdict, asked.hits()));
                if (!hasRoom(verdict, asked.hits()) && needed <= limit.capacity()) {
                    out.writeNumberField("passes_within", passesWithin(limit, verdict, needed) / 1e6);
                }
            }
        }
    }

    private static void limit(JsonGenerator out, Rule rule, Limit limit) throws IOException {
        out.writeObjectFieldStart("limit");
        out.writeNumberField("requests", limit.requests());
        out.writeStringField("window", WindowText.of(limit));
        out.writeStringField("algorithm", limit.algorithm().text());
        out.writeNumberField("burst", limit.burst());
        boolean own = limit.equals(rule.limit());
        out.writeStringField("from", !own ? "override" : rule.name().startsWith("tier:") ? "tier" : "rule");
        out.writeEndObject();
    }

    /**
     * Returns the microseconds after which {@code needed} hits fit at the latest, without other traffic. A bucket
     * refills evenly and is full at its reset, so it has room by
     * {@code reset - (capacity - needed) × window / requests}. Any other counter is empty at its reset.
     */
    private static double passesWithin(Limit limit, MutableVerdict verdict, long needed) {
        boolean fills = limit.algorithm() == Algorithm.TOKEN_BUCKET || limit.algorithm() == Algorithm.GCRA;
        if (!fills || limit.requests() == 0) {
            return verdict.resetMicros();
        }
        double spare = (double) (limit.capacity() - needed) * limit.windowMicros() / limit.requests();
        return Math.max(0, verdict.resetMicros() - Math.floor(spare));
    }
}

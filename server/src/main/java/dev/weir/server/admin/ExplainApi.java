package dev.weir.server.admin;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.http.internal.DenialProblem;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.http.internal.VerdictNumbers;
import dev.weir.internal.explain.RuleCompletion;
import dev.weir.internal.explain.RuleExplanation;
import dev.weir.internal.explain.VerdictExplanation;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.shared.ProbedDecision;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.counters.CounterJson;
import dev.weir.server.counters.RegionJson;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.request.UnknownNames;
import dev.weir.server.rlqs.QuotaHolding;
import dev.weir.server.rlqs.QuotaService;
import dev.weir.text.fields.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Explains how a request would be decided: every rule of its domain, and the counters of those that apply. Takes
 * nothing.
 */
final class ExplainApi {
    /** The most rules that are completed for a request that names a caller alone; each asks its store. */
    private static final int MOST_COMPLETED = 64;

    /** The most Envoys whose hits are shown. */
    private static final int MOST_ENVOYS = 100;

    private final Limiter limiter;
    private final RateLimitFields fields;
    private final QuotaService quotas;

    /**
     * Explains decisions of {@code limiter}; {@code fields} writes the headers that callers get, and {@code quotas} knows
     * what Envoys hold.
     */
    ExplainApi(Limiter limiter, RateLimitFields fields, QuotaService quotas) {
        this.limiter = limiter;
        this.fields = fields;
        this.quotas = quotas;
    }

    /** Handles {@code POST /admin/v1/explain}; blocks for the stores. */
    HttpAnswer explain(byte[] body) {
        RuleIndex rules = limiter.index();
        ExplainBody question = ExplainBody.read(body, rules.domains());
        Request request = question.request();
        ProbedDecision probed = AwaitedDecision.await(limiter.probe(request));
        Ban ban = limiter.ban(request);
        boolean denies = ban != null && ban.kind() == BanKind.BAN;
        boolean passes = ban != null && ban.kind() == BanKind.SHADOW;
        JsonObject json = new JsonObject()
                .put("domain", request.domain())
                .put("hits", request.hitsOf(0))
                .put("would_pass", passes || (!denies && probed.decision().allowed()))
                .put("answer", answer(probed.decision(), denies, passes))
                .put("tier", rules.tierOverride(request))
                .put("everything", rules.everything().text())
                .put("endpoint_form", rules.endpointForm().text())
                .put("compared", new JsonObject(new LinkedHashMap<>(rules.compared(request))))
                .put("rules", rules(rules, request, probed));
        if (ban != null) {
            Instant until = ban.until();
            json.put(
                    "ban",
                    new JsonObject()
                            .put("kind", ban.kind().text())
                            .put("subject", ban.subject())
                            .put("reason", ban.reason())
                            .put("by", ban.by())
                            .put("expires_at", until == null ? null : until.toString())
                            .put("sentence", ban.sentence()));
        }
        String notes = Stream.of(
                        UnknownNames.attributes(request, rules.attributes(request.domain())),
                        UnknownNames.units(question.units(), rules.units(request.domain())))
                .filter(Objects::nonNull)
                .collect(Collectors.joining("; "));
        if (!notes.isEmpty()) {
            json.put("note", notes);
        }
        if (request.descriptors() == 1) {
            elsewhere(rules, request, json);
            envoys(request, json);
        }
        return new HttpAnswer(200, HttpAnswer.JSON, json.encode().getBytes(StandardCharsets.UTF_8), List.of());
    }

    /** Adds what each Envoy of this server holds of the hits that the request would take; nothing without any. */
    private void envoys(Request request, JsonObject json) {
        JsonArray array = new JsonArray();
        for (QuotaHolding each :
                quotas.holdings(request, MOST_ENVOYS).toCompletableFuture().join()) {
            array.add(new JsonObject()
                    .put("envoy", each.envoy())
                    .put("bucket", new JsonObject(new TreeMap<>(each.bucket())))
                    .put("assignment", each.assignment())
                    .put("held", each.held())
                    .put("asks_per_second", each.perSecond()));
        }
        if (!array.isEmpty()) {
            json.put("envoys", array);
        }
    }

    /** The status and the headers that a check over REST would get; {@code Retry-After} without its random part. */
    private JsonObject answer(MutableDecision decision, boolean banned, boolean passes) {
        if (banned) {
            return new JsonObject().put("status", Cause.BANNED.status()).put("headers", new JsonObject());
        }
        JsonObject headers = new JsonObject();
        List<String> told = fields.of(decision);
        for (int i = 0; i < told.size(); i += 2) {
            headers.put(told.get(i), told.get(i + 1));
        }
        boolean allowed = passes || decision.allowed();
        VerdictNumbers retry = allowed ? null : DenialProblem.retry(decision);
        if (retry != null) {
            headers.put("Retry-After", String.valueOf(retry.retryAfterSeconds()));
        }
        return new JsonObject().put("status", allowed ? 200 : decision.status()).put("headers", headers);
    }

    private JsonArray rules(RuleIndex rules, Request request, ProbedDecision probed) {
        MutableDecision decision = probed.decision();
        List<List<RuleExplanation>> looks = IntStream.range(0, request.descriptors())
                .mapToObj(each -> rules.look(only(request, each)))
                .toList();
        JsonArray array = new JsonArray();
        for (int i = 0; i < looks.get(0).size(); i++) {
            Rule rule = looks.get(0).get(i).rule();
            boolean met = false;
            for (int descriptor = 0; descriptor < looks.size(); descriptor++) {
                MutableVerdict verdict = verdictOn(rule, descriptor, decision);
                if (verdict != null) {
                    met = true;
                    array.add(met(rule, looks.get(descriptor).get(i).why(), request, probed, verdict));
                }
            }
            if (!met) {
                array.add(rule(rule, false, whyNot(looks, i)));
            }
        }
        for (int i = 0; i < decision.size(); i++) {
            Rule rule = decision.verdict(i).rule();
            if (rule != null && rule.id().equals(RuleIndex.OVERRIDE)) {
                array.add(met(rule, "it was set for this caller", request, probed, decision.verdict(i)));
            }
        }
        return array;
    }

    /** The request with one of its descriptors. */
    private static Request only(Request request, int descriptor) {
        Request only = Request.to(request.domain());
        only.descriptor();
        if (request.isAttributes()) {
            only.asAttributes();
        }
        for (int i = request.start(descriptor); i < request.end(descriptor); i++) {
            only.with(request.key(i), request.value(i));
        }
        return only;
    }

    private static @Nullable MutableVerdict verdictOn(Rule rule, int descriptor, MutableDecision decision) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (verdict.rule() == rule && verdict.descriptor() == descriptor) {
                return verdict;
            }
        }
        return null;
    }

    private static String whyNot(List<List<RuleExplanation>> looks, int index) {
        Rule rule = looks.get(0).get(index).rule();
        boolean otherUnit = !rule.unit().equals(Rule.REQUESTS)
                && looks.stream().anyMatch(each -> each.get(index).met());
        if (otherUnit) {
            return "it counts " + rule.unit() + ", and the request names none";
        }
        if (looks.size() == 1) {
            return looks.get(0).get(index).why();
        }
        return IntStream.range(0, looks.size())
                .mapToObj(descriptor -> {
                    RuleExplanation look = looks.get(descriptor).get(index);
                    // Alone it would apply, so another descriptor of the request has replaced it.
                    String why = look.met() ? "another rule of this request replaces it" : look.why();
                    return "descriptor " + (descriptor + 1) + ": " + why;
                })
                .collect(Collectors.joining("; "));
    }

    /**
     * Adds the rules that the caller would meet with attributes that the request lacks, and which of them deny it: who
     * asks about a caller alone wants to know.
     */
    private void elsewhere(RuleIndex rules, Request request, JsonObject json) {
        List<RuleCompletion> completions = rules.completions(request, MOST_COMPLETED);
        List<CompletionStage<ProbedDecision>> probes = new ArrayList<>();
        completions.forEach(each -> probes.add(limiter.probe(each.request())));
        JsonArray array = new JsonArray();
        JsonArray denied = new JsonArray();
        for (int i = 0; i < completions.size(); i++) {
            RuleCompletion each = completions.get(i);
            ProbedDecision probed = AwaitedDecision.await(probes.get(i));
            MutableVerdict verdict = verdictOn(each.rule(), 0, probed.decision());
            if (verdict != null) {
                array.add(met(each.rule(), each.appliesTo(), each.request(), probed, verdict));
                if (!verdict.allowed() && !verdict.shadowed()) {
                    denied.add(each.rule().label());
                }
            }
        }
        json.put("denied_on", denied).put("elsewhere", array);
    }

    /** Whether this process alone has the counter. */
    private boolean isHere(ProbedDecision probed, MutableVerdict verdict) {
        return limiter.stores().isEmpty()
                || (verdict.limit() != null && probed.origin(verdict) == ProbedDecision.Origin.MEMORY);
    }

    private static JsonObject rule(Rule rule, boolean met, String why) {
        JsonObject json = new JsonObject()
                .put("rule", rule.label())
                .put("met", met)
                .put("why", why)
                .put("source", rule.source())
                .put("counts", rule.unit())
                .put("mode", rule.isOff() ? "off" : rule.shadow() ? "shadow" : "on");
        SwitchState switched = rule.switched();
        if (switched != null) {
            json.put("switched", switched.text());
        }
        if (rule.isRollingOut()) {
            json.put("rollout", rule.rolloutPercent() + "%");
        }
        return json;
    }

    private JsonObject met(Rule rule, String why, Request request, ProbedDecision probed, MutableVerdict verdict) {
        VerdictExplanation explained = limiter.explain(request, verdict);
        JsonObject json = rule(rule, true, why);
        if (request.descriptors() > 1) {
            json.put("descriptor", verdict.descriptor() + 1);
        }
        json.put("counter", explained.counter())
                .put("bucket", explained.bucket())
                .put("store", isHere(probed, verdict) ? "memory" : rule.store())
                .put("consistency", rule.consistency().name().toLowerCase(Locale.ROOT))
                .put("scope", rule.scope().kind().name().toLowerCase(Locale.ROOT))
                .put("degraded", verdict.degraded());
        Limit limit = verdict.limit();
        if (limit != null) {
            json.put("limit", CounterJson.limit(rule, limit));
            json.put("answered_by", probed.origin(verdict).text());
            CounterJson.state(verdict, json);
        }
        if (rule.scope().isShared() || rule.scope().isGlobal()) {
            limiter.counters(request).stream()
                    .filter(each -> each.rule() == rule && each.check().key0 == verdict.counter())
                    .findFirst()
                    .ifPresent(each -> RegionJson.add(limiter, rule, each.check(), json));
        }
        JsonObject over = over(rule);
        return over == null ? json : json.put("over", over);
    }

    /** The queue or tarpit for a request for which the rule has no room; null if the request is denied at once. */
    private static @Nullable JsonObject over(Rule rule) {
        QueueBounds queue = rule.queue();
        if (queue != null) {
            return new JsonObject()
                    .put(
                            "queue",
                            new JsonObject()
                                    .put("max_wait", Durations.text(queue.maxWaitMicros()))
                                    .put("max_waiting", queue.maxWaiting()));
        }
        return rule.tarpitMicros() == 0
                ? null
                : new JsonObject().put("tarpit", new JsonObject().put("delay", Durations.text(rule.tarpitMicros())));
    }
}

package dev.weir.server.counters;

import dev.weir.Limit;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.ReputationScale.Step;
import dev.weir.internal.model.Rule;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the limit and the state of a counter, alike for {@code explain} and {@code counters}. */
public final class CounterJson {
    private CounterJson() {}

    /** The limit in force; {@code rule} is the rule that it is counted for. */
    public static JsonObject limit(Rule rule, Limit limit) {
        boolean own = limit.equals(rule.limit());
        LoadCurve curve = own && rule.loadShare() < LoadCurve.WHOLE ? rule.follows() : null;
        JsonObject json = new JsonObject()
                .put("requests", limit.requests())
                .put(WindowText.nameOf(limit), WindowText.of(limit))
                .put("algorithm", limit.algorithm().text())
                .put("burst", limit.burst())
                .put("from", !own ? "override" : rule.name().startsWith("tier:") ? "tier" : "rule");
        if (curve != null) {
            json.put("from", "load")
                    .put("service", curve.service())
                    .put("share", rule.loadShare() / (double) LoadCurve.WHOLE);
        }
        Step step = own ? null : step(rule, limit);
        if (step != null) {
            json.put("from", "reputation")
                    .put("score", step.score())
                    .put("share", step.share() / (double) LoadCurve.WHOLE);
        }
        Limit whole = rule.wholeOf(limit);
        if (whole != null) {
            json.put("region", rule.scope().own()).put("whole", whole.requests());
        }
        return limit.credit() > 0 ? json.put("burst_credit", limit.credit()) : json;
    }

    /** The step of the rule's reputation that {@code limit} is of; an override with equal numbers is not the same. */
    @SuppressWarnings("ReferenceEquality")
    private static @Nullable Step step(Rule rule, Limit limit) {
        ReputationScale scale = rule.reputation();
        for (Step each : scale == null ? List.<Step>of() : scale.steps()) {
            if (each.limit() == limit) {
                return each;
            }
        }
        return null;
    }

    /**
     * Adds the state of the counter, as a probe told it, and whether the hits of {@code verdict} have room; nothing if
     * its store did not answer.
     */
    public static void state(MutableVerdict verdict, JsonObject into) {
        Limit limit = verdict.limit();
        if (limit == null || verdict.degraded()) {
            return;
        }
        into.put("used", Math.max(0, limit.size() - verdict.remaining() + verdict.debt()))
                .put("remaining", verdict.remaining())
                .put("reset_in", verdict.resetMicros() / 1e6)
                .put("has_room", verdict.allowed());
        if (verdict.debt() > 0) {
            into.put("debt", verdict.debt());
        }
        if (!verdict.allowed() && verdict.retryAfterMicros() != MutableVerdict.NEVER) {
            into.put("retry_after", verdict.retryAfterMicros() / 1e6);
        }
    }
}

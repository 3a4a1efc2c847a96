package dev.weir.server.counters;

import dev.weir.Limit;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import io.vertx.core.json.JsonObject;

/** Writes the limit and the state of a counter, alike for {@code explain} and {@code counters}. */
public final class CounterJson {
    private CounterJson() {}

    /** The limit in force; {@code rule} is the rule that it is counted for. */
    public static JsonObject limit(Rule rule, Limit limit) {
        boolean own = limit.equals(rule.limit());
        return new JsonObject()
                .put("requests", limit.requests())
                .put(WindowText.nameOf(limit), WindowText.of(limit))
                .put("algorithm", limit.algorithm().text())
                .put("burst", limit.burst())
                .put("from", !own ? "override" : rule.name().startsWith("tier:") ? "tier" : "rule");
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
        into.put("used", Math.max(0, limit.capacity() - verdict.remaining()))
                .put("remaining", verdict.remaining())
                .put("reset_in", verdict.resetMicros() / 1e6)
                .put("has_room", verdict.allowed());
        if (!verdict.allowed() && verdict.retryAfterMicros() != MutableVerdict.NEVER) {
            into.put("retry_after", verdict.retryAfterMicros() / 1e6);
        }
    }
}

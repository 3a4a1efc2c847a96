package dev.weir.server.insight;

import dev.weir.server.fleet.FleetTopKeys;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.topkeys.Denial;
import dev.weir.server.topkeys.TopKey;
import dev.weir.server.topkeys.TopKeys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Shows the heaviest callers, and the last denials. */
final class TopKeysView {
    private static final int DEFAULT_KEYS = 10;
    private static final int MOST_KEYS = 128;
    private static final int DEFAULT_DENIALS = 20;
    private static final int MOST_DENIALS = 200;
    private static final double MINUTE_SECONDS = 60;
    private static final double HOUR_SECONDS = 3_600;

    private final TopKeys keys;
    private final FleetTopKeys fleet;
    private final KeyMask mask;
    private final LongSupplier millis;

    TopKeysView(TopKeys keys, FleetTopKeys fleet, KeyMask mask, LongSupplier millis) {
        this.keys = keys;
        this.fleet = fleet;
        this.mask = mask;
        this.millis = millis;
    }

    JsonObject top(Question question) {
        question.requireWholeRule();
        String by = question.word("by", "denied", "allowed", "nearest");
        boolean hour = question.word("window", "minute", "hour").equals("hour");
        if (hour && by.equals("nearest")) {
            throw HttpProblemException.badRequest(
                    "window: hour (expected: minute with by=nearest, which lists callers as they are now)");
        }
        String domain = question.text("domain");
        String rule = question.text("rule");
        int most = (int) question.number("limit", DEFAULT_KEYS, 1, MOST_KEYS);
        JsonObject json = new JsonObject()
                .put("at", millis.getAsLong() / 1_000)
                .put("by", by)
                .put("window", hour ? "hour" : "minute")
                .put("nodes", fleet.nodes())
                .put("silent_nodes", fleet.silentNodes());
        JsonArray found = by.equals("nearest")
                ? nearest(domain, rule, most, question.seesKeys())
                : heaviest(by.equals("denied"), hour, domain, rule, most, question.seesKeys());
        return json.put("keys", found).put("dropped", new JsonArray(fleet.dropped()));
    }

    JsonArray heaviest(
            boolean denied, boolean hour, @Nullable String domain, @Nullable String rule, int most, boolean plain) {
        double total = fleet.total(denied, hour, domain, rule);
        JsonArray array = new JsonArray();
        for (TopKey each : fleet.top(denied, hour, domain, rule, most)) {
            JsonObject json = new JsonObject().put("domain", each.domain()).put("rule", each.rule());
            mask.key(each, plain, json);
            array.add(json.put("count", Math.round(each.count()))
                    .put("rate", each.count() / (hour ? HOUR_SECONDS : MINUTE_SECONDS))
                    .put("share", total <= 0 ? 0 : Math.min(1, each.count() / total))
                    .put("denied_since", each.deniedSince() == 0 ? null : each.deniedSince() / 1_000)
                    .putNull("utilisation")
                    .putNull("remaining")
                    .putNull("limit"));
        }
        return array;
    }

    private JsonArray nearest(@Nullable String domain, @Nullable String rule, int most, boolean plain) {
        JsonArray array = new JsonArray();
        for (TopKey each : fleet.nearest(domain, rule, most)) {
            JsonObject json = new JsonObject().put("domain", each.domain()).put("rule", each.rule());
            mask.key(each, plain, json);
            array.add(json.putNull("count")
                    .putNull("rate")
                    .putNull("share")
                    .putNull("denied_since")
                    .put("utilisation", each.utilisation())
                    .put("remaining", Math.max(0, each.limit() - each.used()))
                    .put("limit", each.limit()));
        }
        return array;
    }

    JsonObject denials(Question question) {
        String domain = question.text("domain");
        Map<String, String> attributes = question.attributes();
        int most = (int) question.number("_limit", DEFAULT_DENIALS, 1, MOST_DENIALS);
        return new JsonObject()
                .put("at", millis.getAsLong() / 1_000)
                .put("denials", denials(domain, attributes, most, question.seesKeys()))
                .put("dropped", new JsonArray(keys.dropped()));
    }

    JsonArray denials(@Nullable String domain, Map<String, String> attributes, int most, boolean plain) {
        List<Denial> found =
                keys.denials(each -> (domain == null || each.domain().equals(domain)) && each.has(attributes), most);
        JsonArray array = new JsonArray();
        for (Denial each : found) {
            JsonObject json = new JsonObject()
                    .put("at_ms", each.atMillis())
                    .put("domain", each.domain())
                    .put("rule", each.banned() ? null : each.rule());
            mask.key(each, plain, json)
                    .put("cause", each.cause())
                    .put("shadow", each.shadow())
                    .put("limit", each.banned() ? null : each.limit())
                    .put("used", each.banned() ? null : each.used())
                    .put("retry_after", each.retryAfterMicros() <= 0 ? null : each.retryAfterMicros() / 1e6)
                    .put("degraded", each.degraded())
                    .put("ban", each.banned());
            array.add(json);
        }
        return array;
    }
}

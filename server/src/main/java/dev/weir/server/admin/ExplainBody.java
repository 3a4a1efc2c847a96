package dev.weir.server.admin;

import dev.weir.Request;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of an explain request: {@code {"domain": "api", "attributes": {"user_id": "u_42"}}}, or {@code entries}
 * instead of attributes if their order matters.
 *
 * @param request the request, with 0 hits, because explaining takes nothing
 * @param hits the hits to explain
 */
record ExplainBody(Request request, long hits) {
    private static final Set<String> MEMBERS = Set.of("domain", "hits", "attributes", "entries");
    private static final int MOST_ENTRIES = 100;

    static ExplainBody read(byte[] body, List<String> domains) {
        JsonObject json = parse(body);
        for (String each : json.fieldNames()) {
            if (!MEMBERS.contains(each)) {
                throw HttpProblemException.badRequest(
                        CallerText.shown(each) + ": no such member (expected: domain, hits, attributes or entries)");
            }
        }
        Request request = Request.to(domain(json, domains)).hits(0);
        request.descriptor();
        if (json.containsKey("attributes") == json.containsKey("entries")) {
            throw HttpProblemException.badRequest("expected: either attributes or entries");
        }
        if (json.getValue("attributes") instanceof JsonObject attributes) {
            request.asAttributes();
            requireFew(attributes.size());
            for (Map.Entry<String, Object> each : attributes) {
                request.with(each.getKey(), text(each.getValue(), each.getKey()));
            }
        } else if (json.getValue("entries") instanceof JsonArray entries) {
            requireFew(entries.size());
            for (Object each : entries) {
                if (!(each instanceof JsonObject entry)) {
                    throw HttpProblemException.badRequest("entries: expected {\"key\": …, \"value\": …}");
                }
                request.with(text(entry.getValue("key"), "key"), text(entry.getValue("value"), "value"));
            }
        } else {
            throw HttpProblemException.badRequest("attributes: expected names and texts; entries: expected a list");
        }
        return new ExplainBody(request, hits(json));
    }

    private static JsonObject parse(byte[] body) {
        try {
            return new JsonObject(Buffer.buffer(body));
        } catch (DecodeException | ClassCastException e) {
            throw HttpProblemException.badRequest("body: expected a JSON object");
        }
    }

    private static String domain(JsonObject json, List<String> domains) {
        Object named = json.getValue("domain");
        if (named == null && domains.size() == 1) {
            return domains.get(0);
        }
        if (named instanceof String name && domains.contains(name)) {
            return name;
        }
        throw HttpProblemException.badRequest("domain: "
                + (named == null ? "missing" : CallerText.shown(String.valueOf(named))) + " (expected: one of "
                + String.join(", ", domains.subList(0, Math.min(20, domains.size()))) + ")");
    }

    private static long hits(JsonObject json) {
        Object hits = json.getValue("hits", 1);
        boolean whole = hits instanceof Integer || hits instanceof Long;
        if (!whole || ((Number) hits).longValue() < 0) {
            throw HttpProblemException.badRequest(
                    "hits: " + CallerText.shown(String.valueOf(hits)) + " (expected: a whole number >= 0)");
        }
        return ((Number) hits).longValue();
    }

    private static void requireFew(int size) {
        if (size > MOST_ENTRIES) {
            throw HttpProblemException.badRequest("attributes: " + size + " (expected: at most " + MOST_ENTRIES + ")");
        }
    }

    private static String text(@Nullable Object value, String name) {
        if (value instanceof String text) {
            return text;
        }
        throw HttpProblemException.badRequest(
                CallerText.shown(name) + ": " + CallerText.shown(String.valueOf(value)) + " (expected: a text)");
    }
}

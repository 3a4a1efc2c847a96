package dev.weir.server.admin;

import dev.weir.Request;
import dev.weir.internal.model.Rule;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.request.RequestWords;
import dev.weir.server.request.ShellWords;
import dev.weir.server.request.UnknownNames;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of an explain request: {@code {"domain": "api", "attributes": {"user_id": "u_42"}}}. Instead of
 * attributes it may have {@code entries} if their order matters, {@code descriptors} for several, or the {@code line} that
 * a person would write after {@code weir explain}.
 */
final class ExplainBody {
    private static final Set<String> MEMBERS =
            Set.of("domain", "hits", "costs", "attributes", "entries", "descriptors", "line");
    private static final int MOST_ENTRIES = 100;
    private static final int MOST_DESCRIPTORS = 10;

    private final JsonObject json;
    private final List<String> domains;

    private ExplainBody(JsonObject json, List<String> domains) {
        this.json = json;
        this.domains = domains;
    }

    /** Reads {@code body}; {@code domains} are those that exist. */
    static ExplainBody read(byte[] body, List<String> domains) {
        return new ExplainBody(parse(body), domains);
    }

    /** The units that the request names beside requests. */
    Set<String> units() {
        Set<String> units =
                new TreeSet<>(json.getJsonObject("costs", new JsonObject()).fieldNames());
        units.remove(Rule.REQUESTS);
        return units;
    }

    /** The request that the body describes. */
    Request request() {
        for (String each : json.fieldNames()) {
            if (!MEMBERS.contains(each)) {
                throw HttpProblemException.badRequest(CallerText.shown(each)
                        + ": no such member (expected: domain, hits, costs, attributes, entries, descriptors or line)");
            }
        }
        long given = MEMBERS.stream()
                .filter(each -> !each.equals("domain")
                        && !each.equals("hits")
                        && !each.equals("costs")
                        && json.containsKey(each))
                .count();
        if (given != 1) {
            throw HttpProblemException.badRequest("expected: one of attributes, entries, descriptors and line");
        }
        if (json.containsKey("line")) {
            return line(text(json.getValue("line"), "line"));
        }
        Request request = withHits(Request.to(domain(json.getValue("domain"))));
        if (json.getValue("attributes") instanceof JsonObject attributes) {
            request.descriptor().asAttributes();
            requireFew("attributes", attributes.size(), MOST_ENTRIES);
            for (Map.Entry<String, Object> each : attributes) {
                request.with(each.getKey(), text(each.getValue(), each.getKey()));
            }
        } else if (json.getValue("entries") instanceof JsonArray entries) {
            entries(entries, request.descriptor());
        } else if (json.getValue("descriptors") instanceof JsonArray descriptors && !descriptors.isEmpty()) {
            descriptors(descriptors, request);
        } else {
            throw HttpProblemException.badRequest("attributes: expected names and texts; entries: expected a list;"
                    + " descriptors: expected a list of {\"entries\": […]}");
        }
        return request;
    }

    private static void descriptors(JsonArray descriptors, Request into) {
        requireFew("descriptors", descriptors.size(), MOST_DESCRIPTORS);
        for (Object each : descriptors) {
            if (!(each instanceof JsonObject descriptor
                    && descriptor.getValue("entries") instanceof JsonArray entries)) {
                throw HttpProblemException.badRequest("descriptors: expected a list of {\"entries\": […]}");
            }
            entries(entries, into.descriptor());
        }
    }

    private static void entries(JsonArray entries, Request into) {
        requireFew("entries", entries.size(), MOST_ENTRIES);
        for (Object each : entries) {
            if (!(each instanceof JsonObject entry)) {
                throw HttpProblemException.badRequest("entries: expected {\"key\": …, \"value\": …}");
            }
            into.with(text(entry.getValue("key"), "key"), text(entry.getValue("value"), "value"));
        }
    }

    private Request line(String line) {
        try {
            List<String> words = ShellWords.split(line);
            Request request = withHits(Request.to(domain(words.isEmpty() ? null : words.get(0))));
            List<List<Map.Entry<String, String>>> descriptors =
                    RequestWords.of(words.subList(1, words.size())).descriptors();
            requireFew("descriptors", descriptors.size(), MOST_DESCRIPTORS);
            for (List<Map.Entry<String, String>> entries : descriptors) {
                requireFew("entries", entries.size(), MOST_ENTRIES);
                request.descriptor();
                entries.forEach(each -> request.with(each.getKey(), each.getValue()));
            }
            return request;
        } catch (IllegalArgumentException e) {
            throw HttpProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static JsonObject parse(byte[] body) {
        try {
            return new JsonObject(Buffer.buffer(body));
        } catch (DecodeException | ClassCastException e) {
            throw HttpProblemException.badRequest("body: expected a JSON object");
        }
    }

    private String domain(@Nullable Object named) {
        if (named == null && domains.size() == 1) {
            return domains.get(0);
        }
        if (named instanceof String name && domains.contains(name)) {
            return name;
        }
        if (named instanceof String name) {
            throw HttpProblemException.notFound(UnknownNames.domain(name, domains));
        }
        throw HttpProblemException.badRequest("domain: "
                + (named == null ? "missing" : CallerText.shown(String.valueOf(named))) + " (expected: a text)");
    }

    /** Sets the hits, and those of other units, if the body gives them: otherwise the rules' costs apply. */
    private Request withHits(Request request) {
        if (json.containsKey("hits")) {
            request.hits(whole("hits", json.getValue("hits")));
        }
        if (json.containsKey("costs")) {
            if (!(json.getValue("costs") instanceof JsonObject costs)) {
                throw HttpProblemException.badRequest("costs: expected an object, like {\"output_tokens\": 800}");
            }
            requireFew("costs", costs.size(), MOST_ENTRIES);
            costs.forEach(each -> request.hits(each.getKey(), whole("costs." + each.getKey(), each.getValue())));
        }
        return request;
    }

    private static long whole(String name, @Nullable Object hits) {
        boolean whole = hits instanceof Integer || hits instanceof Long;
        if (whole && hits instanceof Number number && number.longValue() >= 0) {
            return number.longValue();
        }
        throw HttpProblemException.badRequest(
                name + ": " + CallerText.shown(String.valueOf(hits)) + " (expected: a whole number >= 0)");
    }

    private static void requireFew(String what, int size, int most) {
        if (size > most) {
            throw HttpProblemException.badRequest(what + ": " + size + " (expected: at most " + most + ")");
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

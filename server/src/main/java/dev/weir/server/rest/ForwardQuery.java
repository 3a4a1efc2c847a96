package dev.weir.server.rest;

import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.QueryParameters;
import dev.weir.server.http.RequestTarget;
import dev.weir.text.message.Suggestion;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The query of the forward path: the gateway's configuration of the requests that it forwards. The end user does not
 * write it.
 *
 * @param text the query as it came; null if there is none
 * @param domain null for the only one loaded
 * @param cost null if the gateway names none
 * @param from the headers that name method and path; null for those that are there
 * @param denyAs the status of a denial, whatever its cause; 0 for that of its cause
 * @param location the location of nginx that an admitted request is redirected to; null for none
 */
record ForwardQuery(
        @Nullable String text,
        @Nullable String domain,
        @Nullable Long cost,
        @Nullable Family from,
        int denyAs,
        @Nullable String location) {
    private static final List<String> NAMES = List.of("domain", "cost", "from", "deny", "accel");
    private static final Pattern COST = Pattern.compile("[0-9]{1,18}");

    /** The headers in which a gateway names method and path. */
    enum Family {
        FORWARDED("forwarded", "X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Uri"),
        ORIGINAL("original", "X-Original-Method", "X-Original-URI", "X-Original-URL");

        final String text;
        final String method;
        final String uri;
        /** Another name that some gateways use. */
        final String url;

        Family(String text, String method, String uri, String url) {
            this.text = text;
            this.method = method;
            this.uri = uri;
            this.url = url;
        }
    }

    /** Reads the query of {@code request}; {@code last} is returned again if it has the same text. */
    static ForwardQuery of(HttpServerRequest request, ForwardSettings settings, @Nullable ForwardQuery last) {
        String text = request.query();
        if (last != null && (text == null ? last.text == null : text.equals(last.text))) {
            return last;
        }
        QueryParameters query = RequestTarget.query(request);
        Set<String> seen = new HashSet<>();
        for (Map.Entry<String, String> each : query.parameters()) {
            String name = each.getKey();
            if (!NAMES.contains(name)) {
                String meant = Suggestion.nearest(name, NAMES);
                throw HttpProblemException.badRequest("unknown parameter " + CallerText.shown(name) + " (expected: "
                        + String.join(", ", NAMES) + (meant == null ? "" : "; " + Suggestion.meant(meant)) + ")");
            }
            if (!seen.add(name)) {
                throw HttpProblemException.badRequest(name + ": given twice (expected: once)");
            }
        }
        return new ForwardQuery(
                text,
                query.get("domain"),
                cost(query.get("cost")),
                family(query.get("from")),
                denyAs(query.get("deny")),
                location(query.get("accel"), settings));
    }

    private static @Nullable Long cost(@Nullable String text) {
        if (text != null && !COST.matcher(text).matches()) {
            throw HttpProblemException.badRequest(
                    "cost: " + CallerText.shown(text) + " (expected: a whole number, 0 to 999999999999999999)");
        }
        return text == null ? null : Long.valueOf(text);
    }

    private static @Nullable Family family(@Nullable String text) {
        for (Family each : Family.values()) {
            if (each.text.equals(text)) {
                return each;
            }
        }
        if (text == null) {
            return null;
        }
        throw HttpProblemException.badRequest("from: " + CallerText.shown(text)
                + " (expected: forwarded for X-Forwarded-Uri, original for X-Original-URI)");
    }

    private static int denyAs(@Nullable String text) {
        if (text != null && !text.equals("403")) {
            throw HttpProblemException.badRequest("deny: " + CallerText.shown(text) + " (expected: 403)");
        }
        return text == null ? 0 : 403;
    }

    private static @Nullable String location(@Nullable String text, ForwardSettings settings) {
        if (text == null) {
            return null;
        }
        if (!settings.locations().contains(text)) {
            throw HttpProblemException.badRequest("accel: " + CallerText.shown(text)
                    + " (expected: a location that the setting forward_locations lists)");
        }
        return text;
    }
}

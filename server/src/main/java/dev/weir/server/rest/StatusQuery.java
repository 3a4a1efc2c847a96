package dev.weir.server.rest;

import dev.weir.Request;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.QueryParameters;
import dev.weir.server.http.RequestTarget;
import dev.weir.server.rls.RequestCaps;
import io.vertx.ext.web.RoutingContext;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Reads a status request: the user_id from the path, other attributes and the domain from the query. */
final class StatusQuery {
    private StatusQuery() {}

    static void read(
            RoutingContext context, RequestCaps caps, Supplier<? extends Collection<String>> loaded, Request into) {
        QueryParameters query = RequestTarget.query(context.request());
        into.clear(CheckReader.domain(query.get("domain"), loaded))
                .takeNothing()
                .asAttributes();
        into.with("user_id", text("user_id", context.pathParam("user_id"), caps.value(), "value"));
        Set<String> seen = new HashSet<>(Set.of("user_id"));
        for (Map.Entry<String, String> each : query.parameters()) {
            String name = each.getKey();
            if (!seen.add(name)) {
                throw HttpProblemException.badRequest(CallerText.shown(name) + ": given twice (expected: once)");
            }
            if (!name.equals("domain")) {
                if (into.end(0) == caps.entries()) {
                    throw HttpProblemException.badRequest(
                            "attributes: too many (expected: at most " + caps.entries() + ")");
                }
                into.with(
                        text("name", name, caps.name(), "name"),
                        text(CallerText.shown(name), each.getValue(), caps.value(), "value"));
            }
        }
    }

    private static String text(String what, String text, int cap, String capName) {
        int bytes = CallerText.utf8Length(text);
        if (bytes < 0 || bytes > cap) {
            throw HttpProblemException.badRequest(
                    what + ": " + bytes + " bytes (expected: at most " + cap + " for a " + capName + ")");
        }
        return text;
    }
}

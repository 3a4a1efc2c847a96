package dev.weir.server.rest;

import dev.weir.model.Request;
import dev.weir.server.http.Query;
import dev.weir.server.http.RestException;
import dev.weir.server.http.Target;
import dev.weir.server.http.Texts;
import dev.weir.server.rls.RequestCaps;
import io.vertx.ext.web.RoutingContext;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Reads the question what is left for a caller: its user_id in the path, other attributes and the domain in the query. */
final class StatusQuery {
    private StatusQuery() {}

    static void read(
            RoutingContext context, RequestCaps caps, Supplier<? extends Collection<String>> loaded, Request into) {
        Query query = Target.query(context.request());
        into.clear(CheckReader.domain(query.get("domain"), loaded)).hits(0L).asAttributes();
        into.with("user_id", text("user_id", context.pathParam("user_id"), caps.value(), "value"));
        Set<String> seen = new HashSet<>(Set.of("user_id"));
        for (Map.Entry<String, String> each : query.parameters()) {
            String name = each.getKey();
            if (!seen.add(name)) {
                throw RestException.badRequest(Texts.shown(name) + ": given twice (expected: once)");
            }
            if (!name.equals("domain")) {
                if (into.end(0) == caps.entries()) {
                    throw RestException.badRequest("attributes: more than " + caps.entries() + " (expected: at most "
                            + caps.entries() + ", the cap on entries)");
                }
                into.with(
                        text("name", name, caps.name(), "name"),
                        text(Texts.shown(name), each.getValue(), caps.value(), "value"));
            }
        }
    }

    private static String text(String what, String text, int cap, String capName) {
        int bytes = Texts.utf8Length(text);
        if (bytes < 0 || bytes > cap) {
            throw RestException.badRequest(
                    what + ": " + bytes + " bytes (expected: at most " + cap + ", the cap on a " + capName + ")");
        }
        return text;
    }
}

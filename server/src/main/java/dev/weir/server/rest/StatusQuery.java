package dev.weir.server.rest;

import dev.weir.model.Request;
import dev.weir.server.http.RestException;
import dev.weir.server.http.Target;
import dev.weir.server.http.Texts;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Reads the question what is left for a caller: its user_id in the path, other attributes and the domain in the query. */
final class StatusQuery {
    private StatusQuery() {}

    static void read(
            RoutingContext context,
            RestSettings.Caps caps,
            Supplier<? extends Collection<String>> loaded,
            Request into) {
        MultiMap query = Target.query(context.request());
        into.clear(CheckReader.domain(query.get("domain"), loaded)).hits(0L).asAttributes();
        into.with("user_id", text("user_id", context.pathParam("user_id"), caps.value(), "value"));
        for (String name : query.names()) {
            List<String> values = query.getAll(name);
            if (values.size() > 1 || name.equals("user_id")) {
                throw RestException.badRequest(Texts.shown(name) + ": given twice (expected: once)");
            }
            if (!name.equals("domain")) {
                if (into.end(0) == caps.entries()) {
                    throw RestException.badRequest("attributes: more than " + caps.entries() + " (expected: at most "
                            + caps.entries() + ", the cap on entries)");
                }
                into.with(
                        text("name", name, caps.name(), "name"),
                        text(Texts.shown(name), values.get(0), caps.value(), "value"));
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

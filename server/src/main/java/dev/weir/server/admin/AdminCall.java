package dev.weir.server.admin;

import dev.weir.control.audit.Author;
import dev.weir.control.change.Precondition;
import dev.weir.server.access.AccessControl;
import dev.weir.server.access.Caller;
import dev.weir.server.access.HeaderText;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.QueryParameters;
import dev.weir.server.http.RequestTarget;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One request of an operator: who asks, under which conditions, and for how much. */
final class AdminCall {
    static final int DEFAULT_PAGE = 100;
    private static final int LARGEST_PAGE = 1_000;
    private static final String CALLER = "weir.caller";
    private static final Pattern TAG = Pattern.compile("\"([0-9]{1,18})\"");

    private final RoutingContext context;

    AdminCall(RoutingContext context) {
        this.context = context;
    }

    /** Finds out who calls, for all that follows. */
    static void identify(RoutingContext context, AccessControl access) {
        context.put(CALLER, access.identify(context.request()));
        context.next();
    }

    /** A part of the path. */
    String path(String name, int longest) {
        RequestTarget.require(context.request());
        String value = String.valueOf(context.pathParam(name));
        boolean fits = !value.isBlank() && value.length() <= longest && CallerText.utf8Length(value) >= 0;
        if (!fits || value.chars().anyMatch(Character::isISOControl)) {
            throw HttpProblemException.badRequest(name + ": " + CallerText.shown(value) + " (expected: up to " + longest
                    + " characters, none of them a control character)");
        }
        return value;
    }

    /** All of the query. */
    QueryParameters query() {
        return RequestTarget.query(context.request());
    }

    @Nullable
    String query(String name) {
        return query().get(name);
    }

    /** Whether to tell only what would change. */
    boolean dryRun() {
        return flag("dry_run");
    }

    /** Whether the query says so. */
    boolean flag(String name) {
        String text = query(name);
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.equals("true") || text.isEmpty()) {
            return true;
        }
        throw HttpProblemException.badRequest(name + ": " + CallerText.shown(text) + " (expected: true or false)");
    }

    /** How many things a page holds. */
    int pageSize() {
        String text = query("limit");
        try {
            int size = text == null ? DEFAULT_PAGE : Integer.parseInt(text);
            if (size >= 1 && size <= LARGEST_PAGE) {
                return size;
            }
        } catch (NumberFormatException e) {
            // Falls through to the same words as any other number out of range.
        }
        throw HttpProblemException.badRequest(
                "limit: " + CallerText.shown(String.valueOf(text)) + " (expected: 1 to " + LARGEST_PAGE + ")");
    }

    /** Where the page before ended; empty for the first. */
    String after() {
        String after = query("after");
        return after == null ? "" : after;
    }

    /** What {@code If-Match} and {@code If-None-Match} ask for. */
    Precondition precondition() {
        HttpServerRequest request = context.request();
        String match = request.getHeader("If-Match");
        String noneMatch = request.getHeader("If-None-Match");
        if (match != null && noneMatch != null) {
            throw HttpProblemException.badRequest("If-Match beside If-None-Match (expected: one of them)");
        }
        if (noneMatch != null) {
            if (noneMatch.equals("*")) {
                return new Precondition.Absent();
            }
            throw HttpProblemException.badRequest("If-None-Match: " + CallerText.shown(noneMatch) + " (expected: *)");
        }
        if (match == null) {
            return new Precondition.None();
        }
        if (match.equals("*")) {
            return new Precondition.Present();
        }
        Matcher tag = TAG.matcher(match);
        if (!tag.matches()) {
            throw HttpProblemException.badRequest(
                    "If-Match: " + CallerText.shown(match) + " (expected: the ETag of a GET, such as \"17\", or *)");
        }
        return new Precondition.Unchanged(Long.parseLong(tag.group(1)));
    }

    /** Who calls. */
    Caller caller() {
        Caller caller = context.get(CALLER);
        if (caller == null) {
            throw new IllegalStateException("nobody asked who calls");
        }
        return caller;
    }

    /** Who changes something, and why. */
    Author author() {
        return caller().author(HeaderText.of(context.request().getHeader("X-Weir-Reason")));
    }
}

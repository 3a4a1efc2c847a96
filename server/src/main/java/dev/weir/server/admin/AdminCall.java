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

/** One request of an operator: the caller, the preconditions, and the page that it asks for. */
final class AdminCall {
    static final int DEFAULT_PAGE = 100;
    private static final int MAX_PAGE = 1_000;
    private static final String CALLER = "weir.caller";
    private static final Pattern TAG = Pattern.compile("\"([0-9]{1,18})\"");

    private final RoutingContext context;

    AdminCall(RoutingContext context) {
        this.context = context;
    }

    /** Identifies the caller for the handlers that follow. */
    static void identify(RoutingContext context, AccessControl access) {
        access.identify(
                context.request(),
                caller -> {
                    context.put(CALLER, caller);
                    context.next();
                },
                context::fail);
    }

    /** A parameter of the path. */
    String path(String name, int maxLength) {
        RequestTarget.require(context.request());
        String value = String.valueOf(context.pathParam(name));
        boolean fits = !value.isBlank() && value.length() <= maxLength && CallerText.utf8Length(value) >= 0;
        if (!fits || value.chars().anyMatch(Character::isISOControl)) {
            throw HttpProblemException.badRequest(name + ": " + CallerText.shown(value) + " (expected: up to "
                    + maxLength + " characters without control characters)");
        }
        return value;
    }

    /** All parameters of the query. */
    QueryParameters query() {
        return RequestTarget.query(context.request());
    }

    @Nullable
    String query(String name) {
        return query().get(name);
    }

    /** Whether only to report what would change. */
    boolean dryRun() {
        return flag("dry_run");
    }

    /** Whether the query has the flag. */
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

    /** The size of a page. */
    int pageSize() {
        String text = query("limit");
        try {
            int size = text == null ? DEFAULT_PAGE : Integer.parseInt(text);
            if (size >= 1 && size <= MAX_PAGE) {
                return size;
            }
        } catch (NumberFormatException e) {
            // Falls through to the message for a number out of range.
        }
        throw HttpProblemException.badRequest(
                "limit: " + CallerText.shown(String.valueOf(text)) + " (expected: 1 to " + MAX_PAGE + ")");
    }

    /** The last key of the previous page; empty for the first page. */
    String after() {
        String after = query("after");
        return after == null ? "" : after;
    }

    /** The precondition of {@code If-Match} or {@code If-None-Match}. */
    Precondition precondition() {
        HttpServerRequest request = context.request();
        String match = request.getHeader("If-Match");
        String noneMatch = request.getHeader("If-None-Match");
        if (match != null && noneMatch != null) {
            throw HttpProblemException.badRequest("If-Match conflicts with If-None-Match (expected: one of them)");
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

    /** The caller. */
    Caller caller() {
        Caller caller = context.get(CALLER);
        if (caller == null) {
            throw new IllegalStateException("the caller was not identified");
        }
        return caller;
    }

    /** The author of a change, with the reason. */
    Author author() {
        return caller().author(HeaderText.of(context.request().getHeader("X-Weir-Reason")));
    }
}

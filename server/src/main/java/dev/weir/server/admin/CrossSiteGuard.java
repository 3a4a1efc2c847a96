package dev.weir.server.admin;

import dev.weir.server.http.HttpProblemException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.util.Locale;
import java.util.Set;

/**
 * Refuses changes that a page of another site has a browser make, which sits where the operator sits.
 *
 * <p>Browsers say which page wants it: {@code Sec-Fetch-Site}, and {@code Origin} where they are old. Beyond that, whatever a page
 * can send without first asking is a POST of a type that a form has, or of none: those are refused; for anything else the browser
 * would ask, and nothing here ever answers that another site may.
 */
final class CrossSiteGuard {
    private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD);
    private static final Set<String> FORMS =
            Set.of("", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain");

    private CrossSiteGuard() {}

    /** Passes what only looks, and changes that no other site is behind. */
    static void refuse(HttpServerRequest request) {
        if (SAFE.contains(request.method())) {
            return;
        }
        String site = request.getHeader("Sec-Fetch-Site");
        boolean foreign = site != null && !site.equals("same-origin") && !site.equals("none");
        String origin = request.getHeader("Origin");
        if (foreign || (origin != null && !isHere(origin, request.authority()))) {
            throw HttpProblemException.forbidden("a page of another site may not change anything here");
        }
        if (request.method().equals(HttpMethod.POST) && FORMS.contains(type(request))) {
            throw HttpProblemException.unsupportedType(
                    "Content-Type: expected application/json, which a form cannot send");
        }
    }

    private static String type(HttpServerRequest request) {
        String header = request.getHeader("Content-Type");
        return header == null ? "" : header.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    }

    private static boolean isHere(String origin, HostAndPort authority) {
        try {
            String page = URI.create(origin).getRawAuthority();
            return page != null && authority != null && page.equalsIgnoreCase(authority.toString());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

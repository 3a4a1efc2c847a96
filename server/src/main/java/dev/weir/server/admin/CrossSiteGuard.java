package dev.weir.server.admin;

import dev.weir.server.http.HttpProblemException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.util.Locale;
import java.util.Set;

/**
 * Refuses changes that a page of another site makes through the operator's browser.
 *
 * <p>Browsers name the page in {@code Sec-Fetch-Site}, and old ones in {@code Origin}. Without either, a page can send
 * without a preflight only a POST with a content type of forms, or with none: those are refused. Before any other
 * request the browser sends a preflight, which this server never allows.
 */
final class CrossSiteGuard {
    private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD);
    private static final Set<String> FORMS =
            Set.of("", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain");

    private CrossSiteGuard() {}

    /** Refuses the request unless it only reads, or no other site is behind it. */
    static void refuse(HttpServerRequest request) {
        if (SAFE.contains(request.method())) {
            return;
        }
        String site = request.getHeader("Sec-Fetch-Site");
        boolean foreign = site != null && !site.equals("same-origin") && !site.equals("none");
        String origin = request.getHeader("Origin");
        if (foreign || (origin != null && !isSameOrigin(origin, request.authority()))) {
            throw HttpProblemException.forbidden("cross-site request: pages of other sites may not make changes");
        }
        if (request.method().equals(HttpMethod.POST) && FORMS.contains(type(request))) {
            throw HttpProblemException.unsupportedType(
                    "Content-Type: not JSON (expected: application/json, which forms cannot send)");
        }
    }

    private static String type(HttpServerRequest request) {
        String header = request.getHeader("Content-Type");
        return header == null ? "" : header.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    }

    private static boolean isSameOrigin(String origin, HostAndPort authority) {
        try {
            String page = URI.create(origin).getRawAuthority();
            return page != null && authority != null && page.equalsIgnoreCase(authority.toString());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

package dev.weir.server.admin;

import dev.weir.server.http.RestException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;

/** Refuses changes that a page of another site has a browser of this machine make. */
final class CrossSite {
    private CrossSite() {}

    static void refuse(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        boolean foreign = site != null && !site.equals("same-origin") && !site.equals("none");
        String origin = request.getHeader("Origin");
        if (foreign || (origin != null && !isHere(origin))) {
            throw RestException.forbidden("a page of another site may not change anything here");
        }
    }

    private static boolean isHere(String origin) {
        try {
            String host = URI.create(origin).getHost();
            return host != null && LoopbackHost.isNamedBy(HostAndPort.create(host, 0));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

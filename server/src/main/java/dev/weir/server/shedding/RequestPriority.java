package dev.weir.server.shedding;

import dev.weir.LoadShedder.Priority;
import dev.weir.internal.match.pattern.TrustedProxies;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the priority of an HTTP request: GET and HEAD read, all other methods write. The header {@value #HEADER} may
 * lower it. To raise it, the peer must be a trusted proxy: otherwise every caller would be critical.
 */
final class RequestPriority {
    static final String HEADER = "X-Weir-Priority";

    private static final String SWITCHES = "/admin/v1/switches";

    private final TrustedProxies proxies;

    RequestPriority(TrustedProxies proxies) {
        this.proxies = proxies;
    }

    Priority of(HttpServerRequest request) {
        boolean reads = HttpMethod.GET.equals(request.method()) || HttpMethod.HEAD.equals(request.method());
        Priority usual = reads ? Priority.READ : Priority.WRITE;
        String header = request.getHeader(HEADER);
        if (header == null) {
            return usual;
        }
        Priority asked = parse(header);
        return asked != null && (asked.compareTo(usual) < 0 || isTrusted(request)) ? asked : usual;
    }

    /** The priority of an operator's request. A change of a switch is critical: it may be what ends an overload. */
    Priority ofOperator(HttpServerRequest request) {
        Priority priority = of(request);
        return priority == Priority.WRITE && String.valueOf(request.path()).startsWith(SWITCHES)
                ? Priority.CRITICAL
                : priority;
    }

    private boolean isTrusted(HttpServerRequest request) {
        return request.remoteAddress() != null
                && proxies.trusts(String.valueOf(request.remoteAddress().hostAddress()));
    }

    /** Null for a word that is no priority: such a header is ignored, as one that asks for too much. */
    private static @Nullable Priority parse(String header) {
        for (Priority each : Priority.values()) {
            if (text(each).equalsIgnoreCase(header)) {
                return each;
            }
        }
        return null;
    }

    static String text(Priority priority) {
        return priority.name().toLowerCase(Locale.ROOT);
    }
}

package dev.weir.spring.internal.gateway;

import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.cloud.gateway.server.mvc.common.Shortcut;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The filter {@code Weir=DOMAIN,ATTRIBUTE} of a route of a gateway on servlets. The gateway calls these methods when it builds its
 * routes; they find the beans of the application with the first call.
 */
public final class WeirMvcFilterFunctions {
    private WeirMvcFilterFunctions() {}

    /** Limits a route by the rules of the application's domain. */
    public static HandlerFilterFunction<ServerResponse, ServerResponse> weir() {
        return limiting(null, null);
    }

    /** Limits a route by the rules of {@code domain}. */
    @Shortcut
    public static HandlerFilterFunction<ServerResponse, ServerResponse> weir(String domain) {
        return limiting(domain, null);
    }

    /** Limits a route by the rules of {@code domain}; a call without the attribute {@code key} is answered with 403. */
    @Shortcut
    public static HandlerFilterFunction<ServerResponse, ServerResponse> weir(String domain, String key) {
        return limiting(domain, key);
    }

    private static HandlerFilterFunction<ServerResponse, ServerResponse> limiting(
            @Nullable String domain, @Nullable String key) {
        return (request, next) -> MvcUtils.getApplicationContext(request)
                .getBean(MvcRouteFilters.class)
                .filter(domain, key)
                .filter(request, next);
    }
}

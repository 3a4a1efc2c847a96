package dev.weir.spring.internal.gateway;

import dev.weir.http.internal.MissingKeyProblem;
import dev.weir.servlet.DenialResponse;
import dev.weir.servlet.WeirFilter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.cloud.gateway.server.mvc.config.FilterProperties;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The filters of routes on servlets, one for each pair of arguments. Those that properties name are made at start, so that a wrong one
 * fails there.
 */
final class MvcRouteFilters implements SmartInitializingSingleton {
    private final RouteLimiters limiters;
    private final DenialResponse denial;
    private final ObjectProvider<GatewayMvcProperties> gateway;
    private final Map<Arguments, HandlerFilterFunction<ServerResponse, ServerResponse>> filters =
            new ConcurrentHashMap<>();

    private record Arguments(Optional<String> domain, Optional<String> key) {}

    /** Writes a response, as the rest of the route does it. */
    private interface Rest {
        ServerResponse handle() throws Exception;
    }

    MvcRouteFilters(RouteLimiters limiters, DenialResponse denial, ObjectProvider<GatewayMvcProperties> gateway) {
        this.limiters = limiters;
        this.denial = denial;
        this.gateway = gateway;
    }

    @Override
    public void afterSingletonsInstantiated() {
        gateway.ifAvailable(properties -> {
            properties.getRoutes().forEach(route -> route.getFilters().forEach(this::check));
            properties
                    .getRoutesMap()
                    .values()
                    .forEach(route -> route.getFilters().forEach(this::check));
        });
    }

    private void check(FilterProperties filter) {
        if (filter.getName().toLowerCase(Locale.ROOT).equals("weir")) {
            Map<String, String> named = filter.getArgs();
            String[] written = named.values().toArray(String[]::new);
            var unused = named.containsKey("domain") || named.containsKey("key")
                    ? filter(named.get("domain"), named.get("key"))
                    : filter(written.length > 0 ? written[0] : null, written.length > 1 ? written[1] : null);
        }
    }

    HandlerFilterFunction<ServerResponse, ServerResponse> filter(@Nullable String domain, @Nullable String key) {
        return filters.computeIfAbsent(
                new Arguments(Optional.ofNullable(domain), Optional.ofNullable(key)), each -> made(domain, key));
    }

    private HandlerFilterFunction<ServerResponse, ServerResponse> made(@Nullable String domain, @Nullable String key) {
        String header = limiters.header(key);
        WeirFilter filter = new WeirFilter(limiters.limiter(domain), denial);
        return (request, next) -> {
            HttpServletRequest servlet = request.servletRequest();
            if (header != null && RouteLimiters.isMissing(servlet.getHeader(header))) {
                return ServerResponse.status(MissingKeyProblem.STATUS)
                        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                        .body(MissingKeyProblem.of(header));
            }
            if (request.attributes().get(MvcUtils.GATEWAY_ROUTE_ID_ATTR) instanceof String route) {
                servlet.setAttribute(WeirFilter.ROUTE, route);
            }
            return limited(filter, request, next);
        };
    }

    /**
     * The servlet filter runs where the response is written, because it is given one there: it decides, lets the rest of the route
     * answer, and ends the call when the answer has, which may be later and on another thread.
     */
    private static ServerResponse limited(
            WeirFilter filter, ServerRequest request, HandlerFunction<ServerResponse> next) {
        return ServerResponse.ok().build((servletRequest, response) -> {
            AtomicReference<@Nullable ModelAndView> view = new AtomicReference<>();
            filter.doFilter(servletRequest, response, (passed, into) -> {
                ServerResponse answer = answer(() -> next.handle(request));
                view.set(answer.writeTo(servletRequest, response, request::messageConverters));
            });
            return view.get();
        });
    }

    private static ServerResponse answer(Rest rest) throws IOException, ServletException {
        try {
            return rest.handle();
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }
}

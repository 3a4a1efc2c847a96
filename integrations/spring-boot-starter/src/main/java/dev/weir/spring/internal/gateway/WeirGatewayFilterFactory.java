package dev.weir.spring.internal.gateway;

import dev.weir.http.internal.MissingKeyProblem;
import dev.weir.servlet.WeirFilter;
import dev.weir.spring.ReactiveDenialResponse;
import dev.weir.spring.internal.web.ReactiveCallLimiter;
import dev.weir.spring.internal.web.ServingThread;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The filter {@code Weir=DOMAIN,ATTRIBUTE} of a route: asks the rules of a domain. A call that lacks the attribute, if one is named,
 * or has an empty one, is answered with 403, as Spring's own filter answers an empty key. The attribute {@code route} is the id of the route.
 */
public final class WeirGatewayFilterFactory extends AbstractGatewayFilterFactory<WeirGatewayFilterFactory.Config> {
    private final RouteLimiters limiters;
    private final ReactiveDenialResponse denial;

    WeirGatewayFilterFactory(RouteLimiters limiters, ReactiveDenialResponse denial) {
        super(Config.class);
        this.limiters = limiters;
        this.denial = denial;
    }

    @Override
    public List<String> shortcutFieldOrder() {
        return List.of("domain", "key");
    }

    @Override
    public GatewayFilter apply(Config config) {
        String header = limiters.header(config.key);
        ReactiveCallLimiter limiter = new ReactiveCallLimiter(limiters.limiter(config.domain), denial);
        return (exchange, chain) -> {
            if (header != null
                    && RouteLimiters.isMissing(
                            exchange.getRequest().getHeaders().getFirst(header))) {
                return ServingThread.afterDispatch(exchange, () -> refuse(exchange.getResponse(), header));
            }
            return Mono.defer(() -> {
                nameRoute(exchange);
                return limiter.limitWithUser(exchange, () -> chain.filter(exchange));
            });
        };
    }

    private static Mono<Void> refuse(ServerHttpResponse response, String header) {
        byte[] body = MissingKeyProblem.of(header);
        response.setStatusCode(HttpStatus.valueOf(MissingKeyProblem.STATUS));
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
    }

    private static void nameRoute(ServerWebExchange exchange) {
        if (exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR) instanceof Route route) {
            exchange.getAttributes().put(WeirFilter.ROUTE, route.getId());
        }
    }

    /** The arguments of the filter. */
    public static final class Config {
        private @Nullable String domain;
        private @Nullable String key;

        public @Nullable String getDomain() {
            return domain;
        }

        public void setDomain(@Nullable String domain) {
            this.domain = domain;
        }

        public @Nullable String getKey() {
            return key;
        }

        public void setKey(@Nullable String key) {
            this.key = key;
        }
    }
}

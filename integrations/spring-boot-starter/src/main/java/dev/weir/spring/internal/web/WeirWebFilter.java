package dev.weir.spring.internal.web;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits the calls of a WebFlux application: the counterpart of {@link dev.weir.servlet.WeirFilter}. */
public final class WeirWebFilter implements WebFilter, Ordered {
    private final ReactiveCallLimiter limiter;
    private final PathExclusions exclusions;
    private final boolean readsUser;
    private final int order;

    /** @param readsUser whether the user is known here, behind Spring Security */
    public WeirWebFilter(ReactiveCallLimiter limiter, PathExclusions exclusions, boolean readsUser, int order) {
        this.limiter = limiter;
        this.exclusions = exclusions;
        this.readsUser = readsUser;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (exclusions.contain(
                exchange.getRequest().getPath().pathWithinApplication().value())) {
            return chain.filter(exchange);
        }
        return readsUser
                ? limiter.limitWithUser(exchange, () -> chain.filter(exchange))
                : limiter.limit(exchange, null, () -> chain.filter(exchange));
    }
}

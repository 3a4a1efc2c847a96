package dev.weir.spring.internal.gateway;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.http.internal.DecisionAnswer;
import dev.weir.spring.internal.boot.ApplicationDomain;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The rate limiter for Spring's filter {@code RequestRateLimiter}. A request has the attributes {@code route}, the id of the route,
 * and {@code client_id}, what the key resolver says; it stands in for {@code api_key}, {@code user_id} and {@code ip}.
 * An empty one is denied.
 */
public final class WeirGatewayRateLimiter implements RateLimiter<WeirGatewayRateLimiter.RouteConfig> {
    private final Map<String, RouteConfig> config = new ConcurrentHashMap<>();
    private final Weir weir;
    private final String domain;

    /** A route has no settings of its own: the rules have them. */
    public static final class RouteConfig {}

    WeirGatewayRateLimiter(Weir weir, ApplicationDomain domain) {
        this.weir = weir;
        this.domain = domain.name();
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        if (id.isBlank()) {
            return afterDispatch(new Response(false, Map.of())); // rules would take it for a missing attribute
        }
        return Mono.defer(() -> {
            Request request = Request.to(domain)
                    .asAttributes()
                    .with("route", routeId)
                    .with("client_id", id)
                    .withoutPermits();
            CompletableFuture<Decision> decided = weir.decideAsync(request).toCompletableFuture();
            Mono<Decision> decision = Mono.fromFuture(decided);
            return (decided.isDone() ? decision : decision.publishOn(Schedulers.parallel()))
                    .map(WeirGatewayRateLimiter::response)
                    .flatMap(WeirGatewayRateLimiter::afterDispatch);
        });
    }

    /** Spring's filter answers a denial at once, after which Reactor Netty may stop reading (reactor-netty #4361). */
    private static Mono<Response> afterDispatch(Response response) {
        Mono<Response> known = Mono.just(response);
        return response.isAllowed() ? known : known.publishOn(Schedulers.parallel());
    }

    private static Response response(Decision decision) {
        List<String> headers = DecisionAnswer.of(decision, true).headers();
        Map<String, String> named = new LinkedHashMap<>();
        for (int i = 0; i < headers.size(); i += 2) {
            named.put(headers.get(i), headers.get(i + 1));
        }
        return new Response(decision.allowed(), named);
    }

    @Override
    public Map<String, RouteConfig> getConfig() {
        return config;
    }

    @Override
    public Class<RouteConfig> getConfigClass() {
        return RouteConfig.class;
    }

    @Override
    public RouteConfig newConfig() {
        return new RouteConfig();
    }
}

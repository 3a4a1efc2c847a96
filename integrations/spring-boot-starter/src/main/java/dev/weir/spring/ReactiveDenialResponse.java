package dev.weir.spring;

import dev.weir.http.LimitedCall;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * A bean that writes the response of a call that may not pass, in a WebFlux application. Status and headers are set already. A
 * servlet application has a {@code dev.weir.servlet.DenialResponse} in its place.
 */
@FunctionalInterface
public interface ReactiveDenialResponse {

    /** Writes the problem document of the denial. */
    ReactiveDenialResponse PROBLEM = (denied, exchange) -> {
        ServerHttpResponse response = exchange.getResponse();
        byte[] body = denied.body();
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        response.getHeaders().setContentLength(body.length);
        DataBuffer buffer = response.bufferFactory().wrap(body);
        return response.writeWith(Mono.just(buffer));
    };

    /** Writes the body. */
    Mono<Void> write(LimitedCall denied, ServerWebExchange exchange);
}

package dev.weir.spring.internal.web;

import dev.weir.http.internal.DecisionAnswer;
import dev.weir.spring.RateLimitedException;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Answers a WebFlux call during which a method was denied: the counterpart of {@link DenialResolver}. */
public final class ReactiveDenialHandler implements WebExceptionHandler, Ordered {
    /** In front of Spring Boot's, which answers 500 and logs an error. */
    private static final int ORDER = -2;

    private final boolean showHeaders;

    public ReactiveDenialHandler(boolean showHeaders) {
        this.showHeaders = showHeaders;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        RateLimitedException denial = Denials.in(failure);
        ServerHttpResponse response = exchange.getResponse();
        if (denial == null || response.isCommitted()) {
            return Mono.error(failure);
        }
        DecisionAnswer answer = DecisionAnswer.of(denial.decision(), showHeaders);
        List<String> headers = answer.headers();
        for (int i = 0; i < headers.size(); i += 2) {
            response.getHeaders().set(headers.get(i), headers.get(i + 1));
        }
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        response.getHeaders().setContentLength(answer.body().length);
        return ServingThread.afterDispatch(
                exchange,
                () -> response.writeWith(Mono.just(response.bufferFactory().wrap(answer.body()))));
    }
}

package dev.weir.spring.internal.web;

import dev.weir.http.HttpLimiter;
import dev.weir.http.LimitedCall;
import dev.weir.servlet.WeirFilter;
import dev.weir.spring.ReactiveDenialResponse;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Decides a reactive call, and serves or denies it. It never blocks, and ends each call once. */
public final class ReactiveCallLimiter {
    private final HttpLimiter limiter;
    private final ReactiveDenialResponse denial;

    public ReactiveCallLimiter(HttpLimiter limiter, ReactiveDenialResponse denial) {
        this.limiter = limiter;
        this.denial = denial;
    }

    /** Limits a call whose user is known, and passes it on to {@code next}. */
    public Mono<Void> limitWithUser(ServerWebExchange exchange, Supplier<Mono<Void>> next) {
        return exchange.getPrincipal()
                .map(Principal::getName)
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(user -> limit(exchange, user.orElse(null), next));
    }

    /** Limits a call of {@code user}, and passes it on to {@code next}. */
    public Mono<Void> limit(ServerWebExchange exchange, @Nullable String user, Supplier<Mono<Void>> next) {
        return new DecidedMono<>(
                        () -> limiter.decideAsync(new ExchangeCall(exchange, user))
                                .toCompletableFuture(),
                        () -> ServingThread.of(exchange),
                        LimitedCall::cancelled)
                .flatMap(each -> serve(each, exchange, next));
    }

    private Mono<Void> serve(LimitedCall call, ServerWebExchange exchange, Supplier<Mono<Void>> next) {
        List<String> headers = exchange.getAttribute(WeirFilter.CALL) instanceof LimitedCall earlier
                ? call.headersAfter(earlier)
                : call.headers();
        for (int i = 0; i < headers.size(); i += 2) {
            exchange.getResponse().getHeaders().set(headers.get(i), headers.get(i + 1));
        }
        if (!call.allowed()) {
            exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(call.status()));
            return ServingThread.afterDispatch(exchange, () -> denial.write(call, exchange));
        }
        exchange.getAttributes().put(WeirFilter.CALL, call);
        if (call.shadowBanned()) {
            exchange.getAttributes().put(WeirFilter.SHADOW_BANNED, true);
        }
        // Tomcat recycles the response before the chain ends, so its status is read when it is committed.
        AtomicInteger status = new AtomicInteger(200);
        exchange.getResponse().beforeCommit(() -> {
            HttpStatusCode set = exchange.getResponse().getStatusCode();
            status.set(set == null ? 200 : set.value());
            return Mono.empty();
        });
        return next.get().doFinally(signal -> end(call, status.get(), signal));
    }

    private static void end(LimitedCall call, int status, SignalType signal) {
        if (signal == SignalType.CANCEL) {
            call.cancelled();
        } else {
            call.ended(signal == SignalType.ON_ERROR ? 500 : status);
        }
    }
}

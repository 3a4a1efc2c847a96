package dev.weir.spring.internal.web;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/**
 * The thread on which a call goes on after a store has decided it, and on which a denial is written. With Reactor Netty it is
 * the event loop of the connection.
 *
 * <p>Reactor Netty 1.2.18 and 1.3.7 may hold a request back, because another thread ended the response before it or because
 * the client sends several at once. If the request is then answered while it is dispatched, they never read from the connection
 * again (reactor-netty #4361). A task of the loop comes after the dispatch.
 */
public final class ServingThread {
    private static final boolean REACTOR_NETTY =
            ClassUtils.isPresent("reactor.netty.http.server.HttpServerRequest", ServingThread.class.getClassLoader());

    private ServingThread() {}

    static Scheduler of(ServerWebExchange exchange) {
        Scheduler loop = loopOf(exchange);
        return loop == null ? Schedulers.parallel() : loop;
    }

    /** Gives an answer that waits for nothing; with Reactor Netty only after the call has been dispatched. */
    public static Mono<Void> afterDispatch(ServerWebExchange exchange, Supplier<Mono<Void>> answer) {
        Scheduler loop = loopOf(exchange);
        return loop == null ? answer.get() : Mono.defer(answer).subscribeOn(loop);
    }

    private static @Nullable Scheduler loopOf(ServerWebExchange exchange) {
        return REACTOR_NETTY ? ReactorNetty.loopOf(exchange.getRequest()) : null;
    }

    /** Loaded only with Reactor Netty. */
    private static final class ReactorNetty {
        static @Nullable Scheduler loopOf(ServerHttpRequest request) {
            Object sent = ServerHttpRequestDecorator.getNativeRequest(request);
            if (!(sent instanceof HttpServerRequest served)) {
                return null;
            }
            @Nullable Scheduler[] loop = new Scheduler[1];
            served.withConnection(connection ->
                    loop[0] = Schedulers.fromExecutor(connection.channel().eventLoop()));
            return loop[0];
        }
    }
}

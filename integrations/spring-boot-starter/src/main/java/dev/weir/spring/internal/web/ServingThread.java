package dev.weir.spring.internal.web;

import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/**
 * The thread on which a call goes on after a store has decided it. With Reactor Netty it is the event loop of the
 * connection: where another thread ends a response, a request that the client sends meanwhile on the same connection may
 * never be read (reactor-netty 1.3.7 and before, as Spring Boot 4.1.1 brings it).
 */
final class ServingThread {
    private static final boolean REACTOR_NETTY =
            ClassUtils.isPresent("reactor.netty.http.server.HttpServerRequest", ServingThread.class.getClassLoader());

    private ServingThread() {}

    static Scheduler of(ServerWebExchange exchange) {
        return REACTOR_NETTY ? ReactorNetty.loopOf(exchange.getRequest()) : Schedulers.parallel();
    }

    /** Loaded only with Reactor Netty. */
    private static final class ReactorNetty {
        static Scheduler loopOf(ServerHttpRequest request) {
            Object sent = ServerHttpRequestDecorator.getNativeRequest(request);
            if (!(sent instanceof HttpServerRequest served)) {
                return Schedulers.parallel();
            }
            Scheduler[] loop = new Scheduler[1];
            served.withConnection(connection ->
                    loop[0] = Schedulers.fromExecutor(connection.channel().eventLoop()));
            return loop[0];
        }
    }
}

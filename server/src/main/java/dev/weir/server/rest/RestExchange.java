package dev.weir.server.rest;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.Idempotency;
import dev.weir.server.http.HttpAnswer;
import io.netty.channel.EventLoop;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.ContextInternal;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request on its way to its answer, which may come later: its caller may be gone by then, and only the first answer
 * counts. For any thread; what it does to the response it does on the event loop of the request.
 */
final class RestExchange implements RememberedAnswers.Asking {
    /** What is made of a decision. Both arguments are buffers that are filled again as soon as this returns. */
    @FunctionalInterface
    interface Then {
        void decided(Request request, MutableDecision decision);
    }

    private final RoutingContext context;
    private final ContextInternal home;

    /** To be made on the event loop of the request. */
    RestExchange(RoutingContext context) {
        this.context = context;
        this.home = (ContextInternal) context.vertx().getOrCreateContext();
    }

    HttpServerRequest request() {
        return context.request();
    }

    RoutingContext context() {
        return context;
    }

    /** Has {@code request} decided, at once or later, and makes of it what {@code then} says, here or on this event loop again. */
    void decide(Limiter limiter, Request request, long nowMicros, MutableDecision into, Then then) {
        decide(limiter, request, nowMicros, into, null, then);
    }

    /** The same, charged once if {@code idempotency} says so and a shared store counts it. */
    void decide(
            Limiter limiter,
            Request request,
            long nowMicros,
            MutableDecision into,
            @Nullable Idempotency idempotency,
            Then then) {
        if (limiter.decide(request, nowMicros, into, () -> new Waiting(then), idempotency)) {
            then.decided(request, into);
        }
    }

    @Override
    public void answer(HttpAnswer answer) {
        onLoop(() -> {
            if (!context.response().ended() && !context.response().closed()) {
                answer.send(context.response());
            }
        });
    }

    @Override
    public void fail(RuntimeException failure) {
        onLoop(() -> {
            if (!context.response().ended() && !context.response().closed()) {
                context.fail(failure);
            }
        });
    }

    private void onLoop(Runnable action) {
        EventLoop loop = home.nettyEventLoop();
        if (loop.inEventLoop()) {
            action.run();
        } else {
            loop.execute(() -> home.dispatch(action));
        }
    }

    private final class Waiting implements Waiter {
        private final Then then;

        Waiting(Then then) {
            this.then = then;
        }

        /** The loop itself, not the context of one request, so that those who wait on one loop are told together. */
        @Override
        public Executor home() {
            return home.nettyEventLoop();
        }

        @Override
        public void decided(Request request, MutableDecision decision) {
            home.dispatch(() -> {
                try {
                    then.decided(request, decision);
                } catch (RuntimeException e) {
                    fail(e);
                }
            });
        }
    }
}

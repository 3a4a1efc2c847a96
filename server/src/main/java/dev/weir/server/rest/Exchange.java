package dev.weir.server.rest;

import dev.weir.limiter.Limiter;
import dev.weir.limiter.Waiter;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.server.http.Answer;
import dev.weir.store.Idempotency;
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
final class Exchange implements RememberedAnswers.Asking {
    /** What is made of a decision. Both arguments are buffers that are filled again as soon as this returns. */
    @FunctionalInterface
    interface Then {
        void decided(Request request, Decision decision);
    }

    private final RoutingContext context;
    private final ContextInternal home;

    /** To be made on the event loop of the request. */
    Exchange(RoutingContext context) {
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
    void decide(Limiter limiter, Request request, long nowMicros, Decision into, Then then) {
        decide(limiter, request, nowMicros, into, null, then);
    }

    /** The same, charged once if {@code idempotency} says so and a shared store counts it. */
    void decide(
            Limiter limiter,
            Request request,
            long nowMicros,
            Decision into,
            @Nullable Idempotency idempotency,
            Then then) {
        if (limiter.decide(request, nowMicros, into, () -> new Waiting(then), idempotency)) {
            then.decided(request, into);
        }
    }

    @Override
    public void answer(Answer answer) {
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
        public void decided(Request request, Decision decision) {
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

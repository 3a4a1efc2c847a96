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
 * An HTTP request and its answer, which may come later: the caller may have disconnected by then, and only the first
 * answer counts. Thread-safe; the response is written on the event loop of the request.
 */
final class RestExchange implements RememberedAnswers.Waiting {
    /** Handles a decision. Both arguments are buffers that are reused as soon as this returns. */
    @FunctionalInterface
    interface Then {
        void decided(Request request, MutableDecision decision);
    }

    private final RoutingContext context;
    private final ContextInternal vertxContext;

    /** Creates an exchange; to be called on the event loop of the request. */
    RestExchange(RoutingContext context) {
        this.context = context;
        this.vertxContext = (ContextInternal) context.vertx().getOrCreateContext();
    }

    HttpServerRequest request() {
        return context.request();
    }

    RoutingContext context() {
        return context;
    }

    /** Decides {@code request}, now or later, and passes the decision to {@code then} on this event loop. */
    void decide(Limiter limiter, Request request, long nowMicros, MutableDecision into, Then then) {
        decide(limiter, request, nowMicros, into, null, then);
    }

    /** Decides {@code request}, charged only once if {@code idempotency} is given and a shared store counts it. */
    void decide(
            Limiter limiter,
            Request request,
            long nowMicros,
            MutableDecision into,
            @Nullable Idempotency idempotency,
            Then then) {
        if (limiter.decide(request, nowMicros, into, () -> new LateDecision(then), idempotency)) {
            then.decided(request, into);
        }
    }

    /** Whether the caller still waits for the answer. */
    boolean isOpen() {
        return !context.response().ended() && !context.response().closed();
    }

    /** Runs {@code action} on the event loop of the request; if it throws, that is the answer. */
    void run(Runnable action) {
        onLoop(() -> {
            try {
                action.run();
            } catch (RuntimeException e) {
                fail(e);
            }
        });
    }

    @Override
    public void answer(HttpAnswer answer) {
        onLoop(() -> {
            if (isOpen()) {
                answer.send(context.response());
            }
        });
    }

    @Override
    public void fail(RuntimeException failure) {
        onLoop(() -> {
            if (isOpen()) {
                context.fail(failure);
            }
        });
    }

    private void onLoop(Runnable action) {
        EventLoop loop = vertxContext.nettyEventLoop();
        if (loop.inEventLoop()) {
            action.run();
        } else {
            loop.execute(() -> vertxContext.dispatch(action));
        }
    }

    private final class LateDecision implements Waiter {
        private final Then then;

        LateDecision(Then then) {
            this.then = then;
        }

        /**
         * The loop itself and not the request's context, so that requests that wait on one loop are answered in one
         * batch.
         */
        @Override
        public Executor home() {
            return vertxContext.nettyEventLoop();
        }

        @Override
        public void decided(Request request, MutableDecision decision) {
            vertxContext.dispatch(() -> {
                try {
                    then.decided(request, decision);
                } catch (RuntimeException e) {
                    fail(e);
                }
            });
        }
    }
}

package dev.weir.server.rest;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.store.Idempotency;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.WaitingAnswer;
import dev.weir.server.tracing.TracedDecisions;
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
    private final TracedDecisions traces;
    private volatile @Nullable WaitingAnswer waiting;

    /** Creates an exchange; to be called on the event loop of the request. */
    RestExchange(RoutingContext context, TracedDecisions traces) {
        this.context = context;
        this.traces = traces;
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
        if (limiter.decide(request, nowMicros, into, () -> new LateDecision(then, true))) {
            decided(request, into, then);
        }
    }

    /**
     * Decides {@code request} likewise, and holds the answer while its rules let it wait. A caller that disconnects gives
     * up its place. With {@code idempotency} it keeps its place, because a retry gets the same answer; and a shared store
     * charges the request only once.
     */
    void decideInTurn(
            RequestQueues queues,
            Request request,
            long nowMicros,
            MutableDecision into,
            @Nullable Idempotency idempotency,
            Then then) {
        if (queues.decide(request, nowMicros, into, () -> new LateDecision(then, idempotency == null), idempotency)) {
            decided(request, into, then);
        }
    }

    private void decided(Request request, MutableDecision decision, Then then) {
        if (!decision.allowed() || traces.includePasses()) {
            String trace = context.request().getHeader("traceparent");
            if (trace != null) {
                traces.decided(trace, decision);
            }
        }
        then.decided(request, decision);
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

    /** Charges the peer for this request while its answer waits; false if it has no room, and must be answered at once. */
    @Override
    public boolean mayWait() {
        WaitingAnswer charged = waiting;
        if (charged == null) {
            charged = new WaitingAnswer(context.request());
            waiting = charged;
        }
        return charged.charge();
    }

    private void waitIsOver() {
        WaitingAnswer charged = waiting;
        if (charged != null) {
            charged.end();
        }
    }

    @Override
    public void answer(HttpAnswer answer) {
        onLoop(() -> {
            waitIsOver();
            if (isOpen()) {
                answer.send(context.request());
            }
        });
    }

    @Override
    public void fail(RuntimeException failure) {
        onLoop(() -> {
            waitIsOver();
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
        private final boolean leaves;

        /** {@code leaves} if the request gives up its place when its caller disconnects. */
        LateDecision(Then then, boolean leaves) {
            this.then = then;
            this.leaves = leaves;
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
        public boolean mayWait() {
            return RestExchange.this.mayWait();
        }

        @Override
        public void waits(Runnable cancel) {
            if (leaves) {
                onLoop(() -> {
                    if (context.response().closed()) {
                        left(cancel);
                    } else {
                        context.response().closeHandler(closed -> left(cancel));
                    }
                });
            }
        }

        private void left(Runnable cancel) {
            cancel.run();
            waitIsOver();
        }

        @Override
        public void decided(Request request, MutableDecision decision) {
            vertxContext.dispatch(() -> {
                try {
                    RestExchange.this.decided(request, decision, then);
                } catch (RuntimeException e) {
                    fail(e);
                }
            });
        }
    }
}

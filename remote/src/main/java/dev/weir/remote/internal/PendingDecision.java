package dev.weir.remote.internal;

import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.model.MutableDecision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request that was sent to a server, until it is answered or its deadline passes. */
final class PendingDecision extends CompletableFuture<MutableDecision> implements GrpcChannel.Answer {
    private static final AtomicIntegerFieldUpdater<PendingDecision> DECIDED =
            AtomicIntegerFieldUpdater.newUpdater(PendingDecision.class, "decided");

    private final RemoteLimiter limiter;
    private final ServerBreaker breaker;
    private final Request request;
    private final byte[] message;
    private final boolean forCaller;
    private final Consumer<MutableDecision> late;
    private final long deadlineNanos;
    /** 1 as soon as an answer, a failure or the deadline has decided. */
    private volatile int decided;

    private volatile boolean closed;
    private volatile long leaseMicros;
    private volatile @Nullable Runnable cancel;

    /**
     * @param message has {@code request}
     * @param late receives an answer for which nobody waits any more
     */
    PendingDecision(
            RemoteLimiter limiter,
            ServerBreaker breaker,
            Request request,
            byte[] message,
            boolean forCaller,
            Consumer<MutableDecision> late,
            long deadlineNanos) {
        this.limiter = limiter;
        this.breaker = breaker;
        this.request = request;
        this.message = message;
        this.forCaller = forCaller;
        this.late = late;
        this.deadlineNanos = deadlineNanos;
    }

    byte[] message() {
        return message;
    }

    /** It was sent; running {@code cancels} cancels its call. */
    void sent(Runnable cancels) {
        cancel = cancels;
    }

    /** The part on hits taken ahead, if it was not for a caller: see {@link ResponseMessage.ServerAnswer}. */
    long leaseMicros() {
        return leaseMicros;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Whether an answer, a failure or the deadline has decided. */
    boolean isDecided() {
        return decided != 0;
    }

    /** Whether the call itself has ended. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public void answered(byte[] message) {
        closed = true;
        limiter.ended();
        ResponseMessage.ServerAnswer answer;
        try {
            answer = limiter.read(request, message);
        } catch (ResponseMessage.MalformedAnswerException e) {
            limiter.malformed(e);
            fail(StoreFailure.BROKEN);
            return;
        }
        if (DECIDED.compareAndSet(this, 0, 1)) {
            breaker.succeeded();
            if (forCaller) {
                limiter.answered(this, request, answer);
            } else {
                leaseMicros = answer.leaseMicros();
                complete(answer.decision());
            }
        } else {
            late.accept(answer.decision());
        }
    }

    @Override
    public void failed(StoreFailure failure, @Nullable String refused) {
        closed = true;
        limiter.ended();
        if (refused == null) {
            fail(failure);
        } else if (DECIDED.compareAndSet(this, 0, 1)) {
            breaker.succeeded();
            completeExceptionally(new IllegalArgumentException(refused));
        }
    }

    /** Lets {@code on_fail} decide if the deadline has passed without an answer. */
    void expire() {
        if (decided == 0) {
            fail(StoreFailure.TIMEOUT);
        }
    }

    private void fail(StoreFailure failure) {
        if (DECIDED.compareAndSet(this, 0, 1)) {
            breaker.failed(failure);
            limiter.unanswered(this, request, failure, forCaller);
        }
    }

    /** Ends the call, whose answer nobody waits for. */
    void cancelCall() {
        Runnable ends = cancel;
        if (!closed && ends != null) {
            ends.run();
        }
    }

    /** Waits for the decision, until the deadline at most, whatever interrupts this thread. */
    MutableDecision await() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    get(Math.max(1, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
                    return join();
                } catch (TimeoutException e) {
                    expire();
                    return join();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

package dev.weir.spring.internal.web;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * A decision that a store makes for each subscriber. A decision may hold permits, so it is undone if its subscriber has
 * left: also on the way to the thread on which the subscriber goes on, where {@code publishOn} would lose it.
 *
 * <p>For operators that ask for their value when they subscribe, as {@code flatMap} does.
 */
public final class DecidedMono<T> extends Mono<T> {
    private final Supplier<CompletableFuture<T>> decide;
    private final Supplier<Scheduler> thread;
    private final Consumer<T> undo;

    /**
     * @param thread where a subscriber goes on if its decision took a while: a thread of the store completes it, and the
     *     application may not run there
     */
    public DecidedMono(Supplier<CompletableFuture<T>> decide, Supplier<Scheduler> thread, Consumer<T> undo) {
        this.decide = decide;
        this.thread = thread;
        this.undo = undo;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> subscriber) {
        CompletableFuture<T> decided;
        Scheduler later;
        try {
            decided = decide.get();
            later = decided.isDone() ? null : thread.get();
        } catch (RuntimeException e) {
            Mono.<T>error(e).subscribe(subscriber);
            return;
        }
        Wait wait = new Wait(subscriber, decided);
        subscriber.onSubscribe(wait);
        var unused = decided.whenComplete((value, failure) -> {
            if (later == null) {
                wait.end(value, failure);
            } else {
                wait.endOn(later, value, failure);
            }
        });
    }

    /** A subscriber that waits. Either it leaves, or its decision reaches it. */
    private final class Wait implements Subscription {
        private final CoreSubscriber<? super T> subscriber;
        private final CompletableFuture<T> decided;
        private final AtomicBoolean over = new AtomicBoolean();

        Wait(CoreSubscriber<? super T> subscriber, CompletableFuture<T> decided) {
            this.subscriber = subscriber;
            this.decided = decided;
        }

        void endOn(Scheduler later, @Nullable T value, @Nullable Throwable failure) {
            try {
                var unused = later.schedule(() -> end(value, failure));
            } catch (RejectedExecutionException e) {
                if (value != null) {
                    undo.accept(value);
                }
                end(null, e);
            }
        }

        void end(@Nullable T value, @Nullable Throwable failure) {
            boolean waits = over.compareAndSet(false, true);
            if (value == null) {
                if (waits) {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    subscriber.onError(cause == null ? new IllegalStateException("no decision") : cause);
                }
            } else if (waits) {
                subscriber.onNext(value);
                subscriber.onComplete();
            } else {
                undo.accept(value);
            }
        }

        @Override
        public void request(long n) {}

        @Override
        public void cancel() {
            if (over.compareAndSet(false, true)) {
                decided.cancel(false);
            }
        }
    }
}

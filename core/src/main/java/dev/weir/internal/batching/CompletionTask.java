package dev.weir.internal.batching;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Asks of one home that are answered together: one task for all of them. */
final class CompletionTask implements Runnable {
    final Executor home;
    private @Nullable QueuedAsk first;
    private @Nullable QueuedAsk last;

    CompletionTask(Executor home) {
        this.home = home;
    }

    void add(QueuedAsk pending) {
        pending.next = null;
        if (last == null) {
            first = pending;
        } else {
            last.next = pending;
        }
        last = pending;
    }

    void start() {
        try {
            home.execute(this);
        } catch (RejectedExecutionException e) {
            run(); // the home is shutting down: they are told where we are, rather than never
        }
    }

    @Override
    public void run() {
        DeferredWakeups cork = DeferredWakeups.ofThread();
        cork.hold();
        try {
            QueuedAsk each = first;
            while (each != null) {
                QueuedAsk next = each.next; // once it is answered, it may be on its way again
                each.next = null;
                answer(each);
                each = next;
            }
        } finally {
            cork.release();
        }
    }

    /** Whatever one of them throws at it, the others are told, and who delivers goes on. */
    private static void answer(QueuedAsk pending) {
        try {
            pending.answer();
        } catch (Throwable thrown) {
            Thread here = Thread.currentThread();
            here.getUncaughtExceptionHandler().uncaughtException(here, thrown);
        }
    }

    /** One ask that is answered alone. */
    static void now(QueuedAsk pending) {
        CompletionTask alone = new CompletionTask(pending.home());
        alone.add(pending);
        alone.start();
    }
}

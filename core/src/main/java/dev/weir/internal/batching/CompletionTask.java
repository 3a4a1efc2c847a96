package dev.weir.internal.batching;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Delivers the answers of asks that share an executor, in one task. */
final class CompletionTask implements Runnable {
    final Executor home;
    private @Nullable QueuedAsk first;
    private @Nullable QueuedAsk last;

    CompletionTask(Executor home) {
        this.home = home;
    }

    void add(QueuedAsk pending) {
        if (last == null) {
            first = pending;
        } else if (last.next != pending) {
            last.next = pending;
        }
        last = pending;
    }

    void start() {
        if (last != null) {
            last.next = null;
        }
        try {
            home.execute(this);
        } catch (RejectedExecutionException e) {
            run(); // the executor is shutting down: run the callbacks here rather than never
        }
    }

    @Override
    public void run() {
        DeferredWakeups cork = DeferredWakeups.ofThread();
        cork.hold();
        try {
            QueuedAsk each = first;
            while (each != null) {
                QueuedAsk next = each.next; // once it is answered, it may be in use again
                each.next = null;
                answer(each);
                each = next;
            }
        } finally {
            cork.release();
        }
    }

    /** Runs one callback. If it throws, the others still run. */
    private static void answer(QueuedAsk pending) {
        try {
            pending.answer();
        } catch (Throwable thrown) {
            Thread here = Thread.currentThread();
            here.getUncaughtExceptionHandler().uncaughtException(here, thrown);
        }
    }

    /** Answers one ask alone. */
    static void now(QueuedAsk pending) {
        CompletionTask alone = new CompletionTask(pending.home());
        alone.add(pending);
        alone.start();
    }
}

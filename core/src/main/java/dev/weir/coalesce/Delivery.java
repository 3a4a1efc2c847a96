package dev.weir.coalesce;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Asks of one home that are answered together: one task for all of them. */
final class Delivery implements Runnable {
    final Executor home;
    private @Nullable Pending first;
    private @Nullable Pending last;

    Delivery(Executor home) {
        this.home = home;
    }

    void add(Pending pending) {
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
        Cork cork = Cork.ofThread();
        cork.hold();
        try {
            Pending each = first;
            while (each != null) {
                Pending next = each.next; // once it is answered, it may be on its way again
                each.next = null;
                answer(each);
                each = next;
            }
        } finally {
            cork.release();
        }
    }

    /** Whatever one of them throws at it, the others are told, and who delivers goes on. */
    private static void answer(Pending pending) {
        try {
            pending.answer();
        } catch (Throwable thrown) {
            Thread here = Thread.currentThread();
            here.getUncaughtExceptionHandler().uncaughtException(here, thrown);
        }
    }

    /** One ask that is answered alone. */
    static void now(Pending pending) {
        Delivery alone = new Delivery(pending.home());
        alone.add(pending);
        alone.start();
    }
}

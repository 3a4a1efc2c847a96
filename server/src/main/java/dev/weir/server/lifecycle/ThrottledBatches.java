package dev.weir.server.lifecycle;

import io.vertx.core.Vertx;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs work that callers ask for on a worker thread, never on an event loop. One run at a time serves everything that
 * was added before it began. After a run comes a pause of three times its duration, so callers never take more than a
 * quarter of one thread.
 */
public final class ThrottledBatches<T> {
    private static final System.Logger LOG = System.getLogger(ThrottledBatches.class.getName());
    private static final int PAUSE = 3;

    private final Vertx vertx;
    private final Consumer<List<T>> work;
    private List<T> waiting = new ArrayList<>();
    private boolean busy;

    /** Creates an empty batch. {@code work} must answer everything that it is given, also if it fails. */
    public ThrottledBatches(Vertx vertx, Consumer<List<T>> work) {
        this.vertx = vertx;
        this.work = work;
    }

    /** Adds an item to the next run that has not begun. */
    public synchronized void add(T item) {
        waiting.add(item);
        if (!busy) {
            busy = true;
            begin();
        }
    }

    private void begin() {
        var unused = vertx.executeBlocking(
                () -> {
                    run();
                    return true;
                },
                false);
    }

    private void run() {
        long began = System.nanoTime();
        try {
            work.accept(next());
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "background work for callers failed with an internal error", e);
        } finally {
            long pause = TimeUnit.NANOSECONDS.toMillis((System.nanoTime() - began) * PAUSE);
            vertx.setTimer(Math.max(1, pause), over -> goOn());
        }
    }

    private synchronized List<T> next() {
        List<T> batch = waiting;
        waiting = new ArrayList<>();
        return batch;
    }

    private synchronized void goOn() {
        busy = !waiting.isEmpty();
        if (busy) {
            begin();
        }
    }
}

package dev.weir.server.lifecycle;

import io.vertx.core.Vertx;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs work that callers ask for on a worker thread, never on an event loop. One run at a time serves everything that
 * was added before it began. After a run comes a pause of three times the processor time that it took, so callers never
 * take more than a quarter of one processor.
 */
public final class ThrottledBatches<T> {
    private static final System.Logger LOG = System.getLogger(ThrottledBatches.class.getName());
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
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
        long began = processorNanos();
        try {
            work.accept(next());
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "background work for callers failed with an internal error", e);
        } finally {
            long pause = TimeUnit.NANOSECONDS.toMillis((processorNanos() - began) * PAUSE);
            vertx.setTimer(Math.max(1, pause), over -> goOn());
        }
    }

    /** The processor time of this thread; on a busy machine the run itself takes longer, and callers wait no more. */
    private static long processorNanos() {
        return THREADS.isCurrentThreadCpuTimeSupported() ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
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

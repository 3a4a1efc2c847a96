package dev.weir.server;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** What has to be looked after again and again, off the event loops, until the server stops. */
final class Rounds implements AutoCloseable {
    private final Vertx vertx;
    private final List<Long> timers = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    Rounds(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Does {@code work} every {@code period}, the first time after one. */
    void every(Duration period, Runnable work) {
        timers.add(vertx.setPeriodic(period.toMillis(), timer -> {
            if (!closed) {
                var unused = vertx.executeBlocking(Executors.callable(work), false);
            }
        }));
    }

    /** Begins no round any more: one that finds the workers gone would be told as an error. */
    @Override
    public void close() {
        closed = true;
        timers.forEach(vertx::cancelTimer);
    }
}

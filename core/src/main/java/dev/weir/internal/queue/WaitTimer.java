package dev.weir.internal.queue;

import dev.weir.internal.runtime.DaemonThreads;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A timer of one thread, which starts when the first request waits. */
public final class WaitTimer implements DelayedTasks, AutoCloseable {
    private @Nullable ScheduledThreadPoolExecutor executor;
    private boolean closed;

    @Override
    public Runnable schedule(Runnable task, long micros) {
        try {
            ScheduledFuture<?> scheduled = executor().schedule(task, micros, TimeUnit.MICROSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException e) {
            return () -> {}; // closed: nobody waits any more
        }
    }

    private synchronized ScheduledThreadPoolExecutor executor() {
        if (closed) {
            throw new RejectedExecutionException("closed");
        }
        if (executor == null) {
            executor = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("weir-wait"));
            executor.setRemoveOnCancelPolicy(true);
        }
        return executor;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (executor != null) {
            executor.shutdownNow();
        }
    }
}

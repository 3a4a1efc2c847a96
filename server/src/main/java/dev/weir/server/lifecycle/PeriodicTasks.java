package dev.weir.server.lifecycle;

import dev.weir.internal.runtime.DaemonThreads;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs periodic tasks until the server stops.
 *
 * <p>The tasks have a thread of their own, so that nothing else delays them: the bounds of reports and leases hold only
 * if their task runs on time.
 */
public final class PeriodicTasks implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeriodicTasks.class.getName());

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-tasks"));

    /** Runs {@code work} every {@code period}, for the first time after one period. {@code work} must not block. */
    public void every(Duration period, Runnable work) {
        var unused =
                timer.scheduleWithFixedDelay(() -> run(work), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Catches every failure: the timer would never again run a task that has thrown. */
    private static void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "a periodic task failed; it runs again after its period", e);
        }
    }

    /** Starts no further runs. */
    @Override
    public void close() {
        timer.shutdown();
    }
}

package dev.weir.server.lifecycle;

import dev.weir.internal.runtime.DaemonThreads;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * What has to be looked after again and again until the server stops. It has a thread of its own, so that nothing else can hold it up:
 * reports and leases have bounds that hold only if their round comes in time.
 */
public final class PeriodicTasks implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeriodicTasks.class.getName());

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-rounds"));

    /** Does {@code work}, which must not wait for anything, every {@code period}, the first time after one. */
    public void every(Duration period, Runnable work) {
        var unused = timer.scheduleWithFixedDelay(
                () -> round(work), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The timer would never again begin what has failed once. */
    private static void round(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "a round of the server's own work failed; the next one comes all the same", e);
        }
    }

    /** Begins no round any more. */
    @Override
    public void close() {
        timer.shutdown();
    }
}

package dev.weir.control.folder;

import dev.weir.internal.runtime.DaemonThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the copy of a shared database in step with what is in force. Many changes in a row are written once, by a thread that nothing
 * else waits for: a disk may be slow.
 */
public final class DatabaseCopyWriter {
    private static final System.Logger LOG = System.getLogger(DatabaseCopyWriter.class.getName());
    private static final int WAIT_MILLIS = 1_000;
    private static final int LAST_WRITE_SECONDS = 5;

    /** Writes what is in force. */
    public interface Writing {
        void to(DatabaseCopy copy) throws IOException;
    }

    private final @Nullable DatabaseCopy copy;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("weir-control-copy"));
    private final Writing writing;
    private final AtomicBoolean due = new AtomicBoolean();

    /** With no {@code copy} it does nothing: a database in the data folder is there whenever the folder is. */
    public DatabaseCopyWriter(@Nullable DatabaseCopy copy, Writing writing) {
        this.copy = copy;
        this.writing = writing;
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // a change on the way out
    }

    /** What is in force has changed. */
    public void soon() {
        if (copy != null && due.compareAndSet(false, true)) {
            var unused = thread.schedule(this::now, WAIT_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Writes what is still to be written, after what is being written. */
    public void finish() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LAST_WRITE_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(
                        Level.ERROR,
                        "what the database holds is not kept for a restart without it: the disk does not answer");
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (due.get()) {
            now();
        }
    }

    private void now() {
        due.set(false);
        try {
            if (copy != null) {
                writing.to(copy);
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.ERROR, "what the database holds cannot be kept for a restart without it: " + e.getMessage());
        }
    }
}

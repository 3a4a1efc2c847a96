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
 * Writes the copy of the database after changes. Changes in quick succession are written once, and a write that
 * fails is tried again. A thread of its own writes, because a disk may be slow.
 */
public final class DatabaseCopyWriter {
    private static final System.Logger LOG = System.getLogger(DatabaseCopyWriter.class.getName());
    private static final int WAIT_MILLIS = 1_000;
    private static final int RETRY_MILLIS = 10_000;
    private static final int LAST_WRITE_SECONDS = 5;

    /** Writes the current contents to the copy. */
    public interface Writing {
        void to(DatabaseCopy copy) throws IOException;
    }

    private final @Nullable DatabaseCopy copy;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("weir-control-copy"));
    private final Writing writing;
    private final int retryMillis;
    private final AtomicBoolean due = new AtomicBoolean();
    /** Whether the last write failed and will be tried again. */
    private volatile boolean failed;
    /** Whether the next attempt is scheduled. */
    private boolean retrying;

    /** Creates a writer. Without a {@code copy} it does nothing: there is no data folder. */
    public DatabaseCopyWriter(@Nullable DatabaseCopy copy, Writing writing) {
        this(copy, writing, RETRY_MILLIS);
    }

    DatabaseCopyWriter(@Nullable DatabaseCopy copy, Writing writing, int retryMillis) {
        this.retryMillis = retryMillis;
        this.copy = copy;
        this.writing = writing;
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // a change during shutdown
    }

    /** Requests a write because the contents have changed. */
    public void requestWrite() {
        if (copy != null && due.compareAndSet(false, true)) {
            var unused = thread.schedule(this::write, WAIT_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Waits for a write in progress, and writes what is still due. */
    public void finish() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LAST_WRITE_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(Level.ERROR, "the copy of the database could not be written in time: the disk does not answer");
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (due.get()) {
            write();
        }
    }

    private void write() {
        due.set(false);
        try {
            if (copy != null) {
                writing.to(copy);
            }
            failed = false;
        } catch (IOException | RuntimeException e) {
            retry(e);
        }
    }

    private void retry(Exception failure) {
        if (!failed) {
            failed = true;
            LOG.log(Level.ERROR, "the copy of the database cannot be written: " + failure.getMessage());
        }
        if (!retrying) {
            retrying = true;
            var unused = thread.schedule(this::writeAgain, retryMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void writeAgain() {
        retrying = false;
        if (failed) {
            write();
        }
    }
}

package dev.weir.control;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Keeps the copy of a shared database in step with what is in force. Many changes in a row are written once. */
final class Copying {
    private static final System.Logger LOG = System.getLogger(Copying.class.getName());
    private static final int WAIT_MILLIS = 1_000;

    /** Writes what is in force. */
    interface Writing {
        void to(LastGood copy) throws IOException;
    }

    private final @Nullable LastGood copy;
    private final ScheduledExecutorService timer;
    private final Writing writing;
    private final AtomicBoolean due = new AtomicBoolean();

    /** With no {@code copy} it does nothing: a database in the data folder is there whenever the folder is. */
    Copying(@Nullable LastGood copy, ScheduledExecutorService timer, Writing writing) {
        this.copy = copy;
        this.timer = timer;
        this.writing = writing;
    }

    /** What is in force has changed. */
    void soon() {
        if (copy != null && due.compareAndSet(false, true)) {
            var unused = timer.schedule(this::now, WAIT_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Writes what is still to be written. */
    void finish() {
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

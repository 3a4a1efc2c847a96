package dev.weir.internal.batching;

import java.util.concurrent.Executor;

/** The event loop of a batcher: runs one task after the other, and has a clock. Any thread may submit a task. */
public interface BatchingLoop extends Executor {

    /** The monotonic clock of the deadlines, as {@link dev.weir.TimeSource#nanos} tells it. Any thread may read it. */
    long nanos();

    /** Runs {@code task} after {@code nanos}. */
    Alarm after(long nanos, Runnable task);

    /** A scheduled task. */
    @FunctionalInterface
    interface Alarm {
        /** Cancels the task. */
        void cancel();
    }
}

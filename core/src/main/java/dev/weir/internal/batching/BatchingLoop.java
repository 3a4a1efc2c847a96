package dev.weir.internal.batching;

import java.util.concurrent.Executor;

/** Where a lane lives: does one thing after the other, and has a clock. Any thread may hand it something. */
public interface BatchingLoop extends Executor {

    /** The monotonic clock that deadlines end by, as {@link dev.weir.TimeSource#nanos} tells it. Any thread may ask. */
    long nanos();

    /** Does {@code task} in {@code nanos} from now. */
    Alarm after(long nanos, Runnable task);

    /** Something that will be done. */
    @FunctionalInterface
    interface Alarm {
        /** It need not be done any more. */
        void cancel();
    }
}

package dev.weir.internal.queue;

/** Runs tasks later, on threads that must not block. */
@FunctionalInterface
public interface DelayedTasks {

    /** Runs {@code task} after {@code micros}. Running the result before that cancels it. */
    Runnable schedule(Runnable task, long micros);
}

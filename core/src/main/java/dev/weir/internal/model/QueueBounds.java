package dev.weir.internal.model;

/**
 * The bounds of {@code over: queue}: requests over a limit wait for their turn.
 *
 * @param maxWaitMicros how long a request waits at most
 * @param maxWaiting how many requests of one counter wait at most, in each process
 */
public record QueueBounds(long maxWaitMicros, int maxWaiting) {
    /** The longest {@link #maxWaitMicros}: 30 seconds. */
    public static final long LONGEST_WAIT_MICROS = 30_000_000;

    /** The most that {@link #maxWaiting} can be. */
    public static final int MOST_WAITING = 10_000;

    public static final long DEFAULT_WAIT_MICROS = 500_000;
    public static final int DEFAULT_WAITING = 64;

    /** Checks the bounds. */
    public QueueBounds {
        if (maxWaitMicros < 1 || maxWaitMicros > LONGEST_WAIT_MICROS) {
            throw new IllegalArgumentException(
                    "max_wait: " + maxWaitMicros + " (expected: 1 to " + LONGEST_WAIT_MICROS + " microseconds)");
        }
        if (maxWaiting < 1 || maxWaiting > MOST_WAITING) {
            throw new IllegalArgumentException("max_waiting: " + maxWaiting + " (expected: 1 to " + MOST_WAITING + ")");
        }
    }
}

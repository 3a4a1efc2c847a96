package dev.weir;

/** Where "now" comes from: microseconds since the Unix epoch, never running backwards. */
@FunctionalInterface
public interface TimeSource {

    long micros();

    /** The monotonic clock that deadlines and leases end by, in nanoseconds from anywhere; {@link System#nanoTime} unless time is virtual. */
    default long nanos() {
        return System.nanoTime();
    }

    /**
     * The wall clock as it stood when this was called, carried on by the monotonic clock: a wall clock that is set forward
     * or back by an hour gives nobody a free burst and locks nobody out.
     */
    static TimeSource system() {
        long origin = System.nanoTime();
        long epoch = System.currentTimeMillis() * 1_000;
        return () -> epoch + (System.nanoTime() - origin) / 1_000;
    }
}

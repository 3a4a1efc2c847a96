package dev.weir;

/** A clock: microseconds since the Unix epoch, never running backwards. */
@FunctionalInterface
public interface TimeSource {

    long micros();

    /**
     * The monotonic clock of deadlines and leases, in nanoseconds from an arbitrary origin; by default
     * {@link System#nanoTime}.
     */
    default long nanos() {
        return System.nanoTime();
    }

    /**
     * Returns a clock that reads the wall clock once, now, and advances it by the monotonic clock. If the wall clock is
     * set forward or back by an hour, no caller gets a free burst and none is locked out.
     */
    static TimeSource system() {
        long origin = System.nanoTime();
        long epoch = System.currentTimeMillis() * 1_000;
        return () -> epoch + (System.nanoTime() - origin) / 1_000;
    }
}

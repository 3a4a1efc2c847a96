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
     * The wall clock as it is set at the moment, microseconds since the Unix epoch; by default {@link #micros}. It may
     * step, but it goes on while the machine is suspended, and {@link #nanos} does not. A lease ends by the clock that
     * says so first.
     */
    default long wallMicros() {
        return micros();
    }

    /**
     * Returns a clock that reads the wall clock once, now, and advances it by the monotonic clock. If the wall clock is
     * set forward or back by an hour, no caller gets a free burst and none is locked out.
     */
    static TimeSource system() {
        long origin = System.nanoTime();
        long epoch = readWallMicros();
        return new TimeSource() {
            @Override
            public long micros() {
                return epoch + (System.nanoTime() - origin) / 1_000;
            }

            @Override
            public long wallMicros() {
                return readWallMicros();
            }
        };
    }

    private static long readWallMicros() {
        return System.currentTimeMillis() * 1_000;
    }
}

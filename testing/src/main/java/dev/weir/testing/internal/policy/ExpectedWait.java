package dev.weir.testing.internal.policy;

/**
 * A wait as a test writes it. An exact wait is rounded up to the unit that the test uses, as {@code Retry-After} is: {@code 12s}
 * stands for more than 11 s and up to 12 s, {@code 11250ms} for that to the millisecond.
 *
 * @param micros the wait; {@link #NEVER} if no wait helps
 * @param unitMicros the unit
 */
public record ExpectedWait(long micros, long unitMicros) {
    /** The wait of a request that no wait helps. */
    public static final long NEVER = -1;

    /** Whether {@code actual} is this wait; {@link #NEVER} if no wait helps. */
    public boolean is(long actual) {
        return (actual == NEVER || micros == NEVER)
                ? actual == micros
                : Math.floorDiv(actual + unitMicros - 1, unitMicros) * unitMicros == micros;
    }
}

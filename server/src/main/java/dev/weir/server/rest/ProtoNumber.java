package dev.weir.server.rest;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Pattern;

/**
 * Parses the unsigned numbers of protobuf's JSON, which may have a fraction or an exponent as long as they are whole.
 */
final class ProtoNumber {
    /** The result for an invalid number. */
    static final long NONE = -1;

    /** The digits of 2^64 - 1; a longer number is out of range in any notation. */
    private static final int DIGITS = 20;

    private static final int MAX_LENGTH = 100;
    /** The syntax of JSON numbers: BigDecimal would also accept leading zeros, and digits of any script. */
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private ProtoNumber() {}

    /**
     * Parses {@code text} as a number of at most {@code max}; returns {@link #NONE} if it is none. A number above
     * {@link Long#MAX_VALUE} becomes that.
     */
    static long unsigned(String text, BigInteger max) {
        if (text.length() > MAX_LENGTH || !NUMBER.matcher(text).matches()) {
            return NONE;
        }
        try {
            BigDecimal number = new BigDecimal(text);
            // Count the digits before expanding them: 1e1000000000 is a short text and a long number.
            if ((long) number.precision() - number.scale() > DIGITS || number.signum() < 0) {
                return NONE;
            }
            if (number.signum() == 0) {
                return 0;
            }
            BigInteger whole = number.toBigIntegerExact();
            return whole.compareTo(max) > 0 ? NONE : whole.min(MAX_LONG).longValue();
        } catch (NumberFormatException | ArithmeticException e) {
            return NONE; // the exponent is out of range, or the number is not whole
        }
    }
}

package dev.weir.server.rest;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Pattern;

/** Unsigned numbers as protobuf's JSON writes them: with a fraction or an exponent, too, as long as they are whole. */
final class ProtoNumber {
    /** What is no such number. */
    static final long NONE = -1;

    /** 2^64 - 1 has 20 digits: what has more is no number of this protocol, however it is written. */
    private static final int DIGITS = 20;

    private static final int LONGEST = 100;
    /** A number of JSON: BigDecimal would also take noughts in front, and digits of any script. */
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private ProtoNumber() {}

    /** The number that {@code text} is, at most {@code max}, or {@link #NONE}. Above {@link Long#MAX_VALUE} it is that. */
    static long unsigned(String text, BigInteger max) {
        if (text.length() > LONGEST || !NUMBER.matcher(text).matches()) {
            return NONE;
        }
        try {
            BigDecimal number = new BigDecimal(text);
            // The digits are counted before they are written out: 1e1000000000 is a short text and a long number.
            if ((long) number.precision() - number.scale() > DIGITS || number.signum() < 0) {
                return NONE;
            }
            if (number.signum() == 0) {
                return 0;
            }
            BigInteger whole = number.toBigIntegerExact();
            return whole.compareTo(max) > 0 ? NONE : whole.min(MAX_LONG).longValue();
        } catch (NumberFormatException | ArithmeticException e) {
            return NONE; // an exponent beyond all numbers, or not whole
        }
    }
}

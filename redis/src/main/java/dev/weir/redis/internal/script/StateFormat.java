package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.algorithm.SlotWords;
import org.jspecify.annotations.Nullable;

/**
 * The format of states in Redis: a byte that names the format, then whole numbers, most significant byte first. The
 * first number, 6 bytes, is the millisecond at which Redis expires it. A state in a format of a later version is left
 * alone. Any other value was not written by Weir, and counts as an unused counter.
 *
 * <pre>
 *   1 bucket          moment 7, part 5, tag 1, whole 4
 *   2 fixed window    start 7, count 7
 *   3 sliding window  start 7, tag 2, current 4, previous 4
 * </pre>
 */
final class StateFormat {
    private static final int BUCKET = 1;
    private static final int FIXED_WINDOW = 2;
    private static final int SLIDING_WINDOW = 3;
    /** The last format that this version knows: that of a log. */
    private static final int LAST = 5;

    private static final int HEAD = 7;
    private static final int BUCKET_LENGTH = HEAD + 17;
    private static final int FIXED_WINDOW_LENGTH = HEAD + 14;
    private static final int SLIDING_WINDOW_LENGTH = HEAD + 17;

    private StateFormat() {}

    /** Returns the first word of the state in {@code value}. */
    static long word0(MeterKind counting, byte @Nullable [] value) {
        if (counting == MeterKind.BUCKET && is(value, BUCKET, BUCKET_LENGTH)) {
            return SlotWords.bucket0(number(value, HEAD, 7), number(value, HEAD + 7, 5), number(value, HEAD + 12, 1));
        } else if (counting == MeterKind.FIXED_WINDOW && is(value, FIXED_WINDOW, FIXED_WINDOW_LENGTH)) {
            return SlotWords.fixedWindow0(number(value, HEAD, 7));
        } else if (counting == MeterKind.SLIDING_WINDOW && is(value, SLIDING_WINDOW, SLIDING_WINDOW_LENGTH)) {
            return SlotWords.slidingWindow0(number(value, HEAD, 7), number(value, HEAD + 7, 2));
        }
        return 0;
    }

    /** Returns the second word of the state in {@code value}. */
    static long word1(MeterKind counting, byte @Nullable [] value) {
        if (counting == MeterKind.BUCKET && is(value, BUCKET, BUCKET_LENGTH)) {
            return SlotWords.bucket1(number(value, HEAD + 13, 4), number(value, HEAD + 7, 5));
        } else if (counting == MeterKind.FIXED_WINDOW && is(value, FIXED_WINDOW, FIXED_WINDOW_LENGTH)) {
            return SlotWords.fixedWindow1(number(value, HEAD + 7, 7));
        } else if (counting == MeterKind.SLIDING_WINDOW && is(value, SLIDING_WINDOW, SLIDING_WINDOW_LENGTH)) {
            return SlotWords.slidingWindow1(number(value, HEAD + 9, 4), number(value, HEAD + 13, 4));
        }
        return 0;
    }

    /** Returns whether {@code value} is in a format of a later version. */
    static boolean isUnknown(byte @Nullable [] value) {
        return value != null && value.length > 0 && (value[0] & 0xFF) > LAST;
    }

    /** Returns the millisecond at which Redis expires {@code value}. */
    static long forgottenMillis(byte[] value) {
        return number(value, 1, 6);
    }

    private static boolean is(byte @Nullable [] value, int format, int length) {
        return value != null && value.length == length && value[0] == format;
    }

    private static long number(byte @Nullable [] value, int at, int bytes) {
        long number = 0;
        for (int i = at; value != null && i < at + bytes; i++) {
            number = number << 8 | (value[i] & 0xFF);
        }
        return number;
    }
}

package dev.weir.server.bench;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Bytes in which the number of a key stands, for every key without memory per key. The bytes depend on the number of digits
 * alone, so there is one form for each; sending copies it and puts the digits in.
 */
final class NumberedBytes {
    private static final int MOST_DIGITS = 10;
    private final byte[][] forms = new byte[MOST_DIGITS + 1][];
    private final int[][] places = new int[MOST_DIGITS + 1][];

    /** Builds the forms; {@code encoded} returns the bytes for the text of a number. */
    NumberedBytes(Function<String, byte[]> encoded) {
        for (int digits = 1; digits <= MOST_DIGITS; digits++) {
            byte[] form = encoded.apply("1".repeat(digits));
            forms[digits] = form;
            places[digits] = differences(form, encoded.apply("2".repeat(digits)), digits);
        }
    }

    /** Where {@code one} and {@code other}, which have other digits, differ. */
    private static int[] differences(byte[] one, byte[] other, int digits) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < one.length; i++) {
            if (one[i] != other[i]) {
                found.add(i);
                i += digits - 1;
            }
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }

    /** How many bytes {@code number} takes. */
    int size(int number) {
        return forms[digits(number)].length;
    }

    /** Appends the bytes for {@code number}. */
    void write(int number, ByteBuf to) {
        int digits = digits(number);
        int start = to.writerIndex();
        to.writeBytes(forms[digits]);
        for (int place : places[digits]) {
            int left = number;
            for (int i = digits - 1; i >= 0; i--) {
                to.setByte(start + place + i, '0' + left % 10);
                left /= 10;
            }
        }
    }

    private static int digits(int number) {
        int digits = 1;
        for (int left = number / 10; left > 0; left /= 10) {
            digits++;
        }
        return digits;
    }
}

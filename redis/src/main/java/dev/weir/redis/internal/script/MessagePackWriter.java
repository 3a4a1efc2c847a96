package dev.weir.redis.internal.script;

import java.util.Arrays;

/** Writes one flat array of whole numbers in MessagePack, which a script reads in one call. */
final class MessagePackWriter {
    private static final int HEAD = 5;

    private byte[] bytes = new byte[256];
    private int length;
    private int count;

    void clear() {
        length = HEAD;
        count = 0;
    }

    void add(long number) {
        if (bytes.length - length < 9) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        count++;
        if (number >= -32 && number < 128) {
            bytes[length++] = (byte) number;
        } else if (number >= 0 && number <= 0xFFFF) {
            write(0xcd, number, 2);
        } else if (number >= 0 && number <= 0xFFFF_FFFFL) {
            write(0xce, number, 4);
        } else {
            write(0xd3, number, 8);
        }
    }

    private void write(int type, long number, int size) {
        bytes[length++] = (byte) type;
        for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (number >>> shift);
        }
    }

    byte[] toBytes() {
        bytes[0] = (byte) 0xdd;
        for (int i = 1; i < HEAD; i++) {
            bytes[i] = (byte) (count >>> (32 - 8 * i));
        }
        return Arrays.copyOf(bytes, length);
    }
}

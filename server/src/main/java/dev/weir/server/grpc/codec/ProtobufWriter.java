package dev.weir.server.grpc.codec;

import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Protobuf's wire format, written to the end of an array. Whoever writes asks for {@link #room} once, and then every byte is a
 * plain store: a buffer would check its bounds and its references for each.
 */
public final class ProtobufWriter {
    private byte[] array;
    private int size;

    public ProtobufWriter(int room) {
        this.array = new byte[room];
    }

    /** What was written, and after {@link #size} whatever was there before. */
    public byte[] array() {
        return array;
    }

    public int size() {
        return size;
    }

    /** Goes back to {@code size}, or on past bytes that are to be filled in later. */
    public void size(int size) {
        this.size = size;
    }

    /** Makes room for so many bytes more. */
    public ProtobufWriter room(int bytes) {
        if (bytes > array.length - size) {
            array = Arrays.copyOf(array, Math.max(size + bytes, array.length * 2));
        }
        return this;
    }

    /** One byte, which is also what every tag here takes. */
    public void put(int b) {
        array[size++] = (byte) b;
    }

    public void put(byte[] bytes) {
        System.arraycopy(bytes, 0, array, size, bytes.length);
        size += bytes.length;
    }

    void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            array[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        array[size++] = (byte) rest;
    }

    void number(int tag, long value) {
        put(tag);
        varint(value);
    }

    /** Proto3 leaves out what is 0. */
    void numberUnlessZero(int tag, long value) {
        if (value != 0) {
            number(tag, value);
        }
    }

    /** Text whose UTF-8 takes so many bytes. */
    void text(int tag, String text, int bytes) {
        number(tag, bytes);
        if (bytes == text.length()) {
            for (int i = 0; i < bytes; i++) {
                array[size++] = (byte) text.charAt(i);
            }
        } else {
            put(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** How many bytes the UTF-8 of a text takes. */
    static int sizeOf(String text) {
        return text.isEmpty() ? 0 : ByteBufUtil.utf8Bytes(text);
    }
}

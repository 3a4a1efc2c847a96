package dev.weir.server.grpc.codec;

import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes protobuf's wire format to the end of an array. The caller asks for {@link #room} once, and then every byte is
 * a plain store: a buffer would check bounds and reference counts for each.
 */
public final class ProtobufWriter {
    private byte[] array;
    private int size;

    public ProtobufWriter(int room) {
        this.array = new byte[room];
    }

    /** The bytes written, followed after {@link #size} by stale ones. */
    public byte[] array() {
        return array;
    }

    public int size() {
        return size;
    }

    /** Goes back to {@code size}, or skips bytes that are filled in later. */
    public void size(int size) {
        this.size = size;
    }

    /** Makes room for {@code bytes} more. */
    public ProtobufWriter room(int bytes) {
        if (bytes > array.length - size) {
            array = Arrays.copyOf(array, Math.max(size + bytes, array.length * 2));
        }
        return this;
    }

    /** Writes one byte, which is also the size of every tag here. */
    public void put(int b) {
        array[size++] = (byte) b;
    }

    public void put(byte[] bytes) {
        System.arraycopy(bytes, 0, array, size, bytes.length);
        size += bytes.length;
    }

    /** Writes the first {@code length} bytes. */
    public void put(byte[] bytes, int length) {
        System.arraycopy(bytes, 0, array, size, length);
        size += length;
    }

    void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            array[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        array[size++] = (byte) rest;
    }

    public void number(int tag, long value) {
        put(tag);
        varint(value);
    }

    /** Writes a number unless it is 0, which proto3 leaves out. */
    void numberUnlessZero(int tag, long value) {
        if (value != 0) {
            number(tag, value);
        }
    }

    /** Writes text whose UTF-8 has {@code bytes} bytes. */
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

    /** The number of bytes of a text in UTF-8. */
    static int sizeOf(String text) {
        return text.isEmpty() ? 0 : ByteBufUtil.utf8Bytes(text);
    }
}

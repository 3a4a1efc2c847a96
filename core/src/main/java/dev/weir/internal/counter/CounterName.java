package dev.weir.internal.counter;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The name of a counter in shared stores: printable ASCII that every process writes alike. No two counters have the
 * same name. It is a buffer that is overwritten for every request.
 */
public final class CounterName {
    private byte[] bytes = new byte[64];
    private int length;
    private long subject;

    public void clear() {
        length = 0;
        subject = 0;
    }

    /**
     * A hash of the counter's subject (the caller), the same in every process. Counters of one subject are kept side by
     * side.
     */
    public long subject() {
        return subject;
    }

    public void subject(long hash) {
        subject = hash;
    }

    public int length() {
        return length;
    }

    /** Truncates the text to its first {@code length} bytes. */
    public void length(int length) {
        if (length < 0 || length > this.length) {
            throw new IllegalArgumentException("length: " + length + " (expected: 0 to " + this.length + ")");
        }
        this.length = length;
    }

    /** The buffer of the text; only the first {@link #length} bytes are valid. */
    public byte[] bytes() {
        return bytes;
    }

    public void append(byte printable) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, length * 2);
        }
        bytes[length++] = printable;
    }

    public void append(byte[] printable) {
        int needed = length + printable.length;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, length * 2));
        }
        System.arraycopy(printable, 0, bytes, length, printable.length);
        length = needed;
    }

    /** Appends the first characters of {@code text} that are among {@code plain}; returns how many these are. */
    int appendPlain(String text, boolean[] plain) {
        int count = text.length();
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + count, length * 2));
        }
        byte[] into = bytes;
        int at = length;
        int i = 0;
        while (i < count) {
            char c = text.charAt(i);
            if (c >= plain.length || !plain[c]) {
                break;
            }
            into[at + i++] = (byte) c;
        }
        length = at + i;
        return i;
    }

    /** A copy of the text. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    public void set(CounterName other) {
        if (bytes.length < other.length) {
            bytes = new byte[other.length];
        }
        System.arraycopy(other.bytes, 0, bytes, 0, other.length);
        length = other.length;
        subject = other.subject;
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
}

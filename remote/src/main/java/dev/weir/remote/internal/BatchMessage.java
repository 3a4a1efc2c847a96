package dev.weir.remote.internal;

import dev.weir.StoreFailure;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The messages of a call with several requests: each request is a {@code RateLimitRequest} in the field 1, and each answer
 * a message in the field 1 of the place of its request, and its response, or why there is none.
 */
final class BatchMessage {
    private static final int VARINT = 0;
    private static final int BYTES = 2;
    private static final int REQUEST = 1 << 3 | BYTES;
    private static final int ANSWER = 1 << 3 | BYTES;
    private static final int PLACE = 1 << 3 | VARINT;
    private static final int RESPONSE = 2 << 3 | BYTES;
    private static final int REFUSED = 3 << 3 | BYTES;
    private static final int FAILED = 4 << 3 | BYTES;
    /** The most bytes of a tag and a length. */
    private static final int HEAD = 6;

    private final byte[] bytes;
    private int at;

    private BatchMessage(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Writes the messages of {@code requests} into one. */
    static byte[] of(List<PendingDecision> requests) {
        int most = 0;
        for (PendingDecision each : requests) {
            most += HEAD + each.message().length;
        }
        BatchMessage into = new BatchMessage(new byte[most]);
        for (PendingDecision each : requests) {
            byte[] message = each.message();
            into.bytes[into.at++] = REQUEST;
            into.writeVarint(message.length);
            System.arraycopy(message, 0, into.bytes, into.at, message.length);
            into.at += message.length;
        }
        return Arrays.copyOf(into.bytes, into.at);
    }

    /**
     * Tells {@code requests} the answers in {@code message}.
     *
     * @throws IllegalArgumentException if it is no such message
     * @throws IndexOutOfBoundsException if it is cut off, or answers a request that there is not
     */
    static void read(byte[] message, List<PendingDecision> requests) {
        BatchMessage from = new BatchMessage(message);
        while (from.at < message.length) {
            if (from.varint() != ANSWER) {
                throw new IllegalArgumentException("an unknown field");
            }
            from.answer(from.length(), requests);
        }
    }

    private void answer(int bytesOfAnswer, List<PendingDecision> requests) {
        int end = at + bytesOfAnswer;
        if (varint() != PLACE) {
            throw new IllegalArgumentException("an answer without its place");
        }
        PendingDecision request = requests.get((int) varint());
        long kind = varint();
        int length = length();
        byte[] content = Arrays.copyOfRange(bytes, at, at + length);
        at += length;
        if (at != end) {
            throw new IllegalArgumentException("an answer with unknown fields");
        }
        if (request.isClosed()) {
            return;
        }
        switch ((int) kind) {
            case RESPONSE -> request.answered(content);
            case REFUSED -> request.failed(StoreFailure.BROKEN, new String(content, StandardCharsets.UTF_8));
            case FAILED -> request.failed(StoreFailure.BROKEN, null);
            default -> throw new IllegalArgumentException("an answer of an unknown kind");
        }
    }

    private void writeVarint(int value) {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte b = bytes[at++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number longer than ten bytes");
    }

    /** Reads the length of what follows. */
    private int length() {
        long length = varint();
        if (length < 0 || length > bytes.length - at) {
            throw new IllegalArgumentException("a length beyond the end");
        }
        return (int) length;
    }
}

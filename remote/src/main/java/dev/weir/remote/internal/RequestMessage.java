package dev.weir.remote.internal;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.model.RequestFlags;
import dev.weir.internal.model.RuleSelection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Writes a {@code RateLimitRequest} of Envoy's protocol. What the protocol has no field for goes into a field of Weir's
 * own, which other services skip.
 */
final class RequestMessage {
    private static final int VARINT = 0;
    private static final int BYTES = 2;
    private static final int DOMAIN = 1 << 3 | BYTES;
    private static final int DESCRIPTOR = 2 << 3 | BYTES;
    private static final int HITS_ADDEND = 3 << 3 | VARINT;
    private static final int DETAILS = 1000 << 3 | BYTES;
    private static final int ENTRY = 1 << 3 | BYTES;
    private static final int LIMIT = 2 << 3 | BYTES;
    private static final int OWN_HITS = 3 << 3 | BYTES;
    private static final int NEGATIVE = 4 << 3 | VARINT;
    private static final int THIRD_TEXT = 3 << 3 | BYTES;
    private static final int FIRST_TEXT = 1 << 3 | BYTES;
    private static final int SECOND_TEXT = 2 << 3 | BYTES;
    private static final int FIRST_NUMBER = 1 << 3 | VARINT;
    private static final int SECOND_NUMBER = 2 << 3 | VARINT;
    private static final long MOST_ADDEND = 0xFFFF_FFFFL;

    /** The units of the protocol, by their numbers; the windows that a caller's own limit can have. */
    private static final long[] UNIT_SECONDS = {0, 1, 60, 3_600, 86_400, 30 * 86_400L, 365 * 86_400L, 7 * 86_400L};

    private byte[] array = new byte[256];
    private int size;

    private RequestMessage() {}

    /**
     * Writes {@code request}, which asks the rules of {@code selections}; all, if there are none.
     *
     * @throws IllegalArgumentException if it brings a limit that the protocol cannot name
     */
    static byte[] of(Request request, List<RuleSelection> selections) {
        RequestMessage message = new RequestMessage();
        message.write(request, selections);
        return Arrays.copyOf(message.array, message.size);
    }

    private void write(Request request, List<RuleSelection> selections) {
        text(DOMAIN, request.domain());
        boolean addend = addend(request);
        if (addend) {
            number(HITS_ADDEND, request.hitsOf(0));
        }
        for (int i = 0; i < request.descriptors(); i++) {
            int start = begin(DESCRIPTOR);
            descriptor(request, i, addend);
            end(start);
        }
        long flags = RequestFlags.of(request);
        List<String> units = request.units();
        if (flags != 0 || !units.isEmpty() || !selections.isEmpty()) {
            int start = begin(DETAILS);
            number(FIRST_NUMBER, flags);
            for (String unit : units) {
                int inner = begin(SECOND_TEXT);
                text(FIRST_TEXT, unit);
                number(SECOND_NUMBER, RequestFlags.zigzag(request.hitsOf(unit)));
                end(inner);
            }
            selections.forEach(this::selection);
            end(start);
        }
    }

    private void selection(RuleSelection selection) {
        int start = begin(THIRD_TEXT);
        number(FIRST_NUMBER, selection.descriptor());
        number(SECOND_NUMBER, selection.except() ? 1 : 0);
        selection.names().forEach(each -> text(THIRD_TEXT, each));
        end(start);
    }

    /** Whether the hits are those of the request, and fit into its field. */
    private static boolean addend(Request request) {
        for (int i = 0; i < request.descriptors(); i++) {
            if (request.hasOwnHits(i)) {
                return false;
            }
        }
        return request.descriptors() > 0
                && request.hasHits(0)
                && request.hitsOf(0) > 0
                && request.hitsOf(0) <= MOST_ADDEND;
    }

    private void descriptor(Request request, int index, boolean addend) {
        for (int i = request.start(index), end = request.end(index); i < end; i++) {
            int start = begin(ENTRY);
            text(FIRST_TEXT, request.key(i));
            text(SECOND_TEXT, request.value(i));
            end(start);
        }
        Limit limit = request.override(index);
        if (limit != null) {
            int start = begin(LIMIT);
            number(FIRST_NUMBER, limit.requests());
            number(SECOND_NUMBER, unit(limit));
            end(start);
        }
        if (!addend && request.hasHits(index)) {
            long hits = request.hitsOf(index);
            int start = begin(OWN_HITS);
            number(FIRST_NUMBER, Math.abs(hits));
            end(start);
            if (hits < 0) {
                number(NEGATIVE, 1);
            }
        }
    }

    private static int unit(Limit limit) {
        for (int i = 1; i < UNIT_SECONDS.length; i++) {
            if (limit.equals(Limit.fixedWindow(limit.requests(), Duration.ofSeconds(UNIT_SECONDS[i])))) {
                return i;
            }
        }
        throw new IllegalArgumentException("override: " + limit
                + " (expected: a fixed window of a second, minute, hour, day, week, 30 days or 365 days; the protocol has"
                + " no other limit of a caller)");
    }

    private void text(int tag, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(tag, bytes.length);
        room(bytes.length);
        System.arraycopy(bytes, 0, array, size, bytes.length);
        size += bytes.length;
    }

    private void number(int tag, long value) {
        room(20);
        varint(tag);
        varint(value);
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            array[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        array[size++] = (byte) rest;
    }

    /** Begins a nested message, and returns where; its length takes one byte until it is known. */
    private int begin(int tag) {
        room(20);
        varint(tag);
        size++;
        return size;
    }

    private void end(int start) {
        int length = size - start;
        int more = (38 - Integer.numberOfLeadingZeros(length | 1)) / 7 - 1;
        if (more > 0) {
            room(more);
            System.arraycopy(array, start, array, start + more, length);
        }
        size = start - 1;
        varint(length);
        size += length;
    }

    private void room(int bytes) {
        if (bytes > array.length - size) {
            array = Arrays.copyOf(array, Math.max(size + bytes, array.length * 2));
        }
    }
}

package dev.weir.server.grpc.http2;

import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Arrays;

/**
 * Decodes request heads with Netty's HPACK decoder.
 *
 * <p><b>Repetition.</b> A caller's heads are all alike, and once HPACK's table knows their fields they are identical
 * bytes. A block that does not change the table keeps its meaning until another block changes the table. The last such
 * block is remembered with its meaning, so that a repetition costs a comparison instead of a decoding.
 */
public final class RequestHeadDecoder extends DefaultHttp2HeadersDecoder {
    private static final int MAX_REMEMBERED = 512;

    private final byte[] block = new byte[MAX_REMEMBERED];
    private int length;
    private RequestHead remembered = new RequestHead();
    private RequestHead next = new RequestHead();

    public RequestHeadDecoder(int maxHeaderList) {
        super(true, true, maxHeaderList);
    }

    @Override
    protected Http2Headers newHeaders() {
        return next.begin();
    }

    /** Whether the bytes equal the remembered block: {@link #remembered} is then their meaning. */
    boolean repeats(byte[] in, int from, int length) {
        return length == this.length && length > 0 && Arrays.equals(in, from, from + length, block, 0, length);
    }

    RequestHead remembered() {
        return remembered;
    }

    /**
     * Remembers the head last decoded together with its block, which must be a single frame; false if the block is too
     * long or changes the table.
     */
    boolean remember(byte[] in, int from, int to) {
        if (to - from > MAX_REMEMBERED || changesTable(in, from, to)) {
            forget();
            return false;
        }
        length = to - from;
        System.arraycopy(in, from, block, 0, length);
        RequestHead decoded = next;
        next = remembered;
        remembered = decoded;
        return true;
    }

    /** Forgets the remembered block, because the table may have changed. */
    void forget() {
        length = 0;
    }

    /** Whether a block changes the dynamic table. The block was decoded without error: RFC 7541, 6. */
    private static boolean changesTable(byte[] in, int from, int to) {
        int at = from;
        while (at < to) {
            int b = in[at] & 0xFF;
            if (b >= 0x80) {
                at = afterInteger(in, at, 0x7F);
            } else if (b >= 0x20) {
                return true; // a literal with indexing, or a new table size
            } else {
                boolean literalName = (b & 0x0F) == 0;
                at = afterInteger(in, at, 0x0F);
                at = literalName ? afterText(in, at) : at;
                at = afterText(in, at);
            }
        }
        return false;
    }

    private static int afterText(byte[] in, int at) {
        int length = in[at] & 0x7F;
        int next = at + 1;
        if (length == 0x7F) {
            int shift = 0;
            int b;
            do {
                b = in[next++] & 0xFF;
                length += (b & 0x7F) << shift;
                shift += 7;
            } while (b >= 0x80);
        }
        return next + length;
    }

    private static int afterInteger(byte[] in, int at, int mask) {
        int next = at + 1;
        if ((in[at] & mask) == mask) {
            while (in[next++] < 0) {
                // all but the last byte have their top bit set
            }
        }
        return next;
    }
}

package dev.weir.server.grpc.http2;

import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Arrays;

/**
 * Heads of requests, out of HPACK by Netty's decoder.
 *
 * <p><b>Repetition.</b> A caller's heads are all alike, and once HPACK's table knows their fields they are byte for byte the
 * same. A block that neither adds to the table nor resizes it means the same thing for as long as no other block does, so the
 * last such block is remembered with what it meant, and its next arrival costs a comparison instead of a decoding.
 */
public final class RequestHeadDecoder extends DefaultHttp2HeadersDecoder {
    private static final int LONGEST_REMEMBERED = 512;

    private final byte[] block = new byte[LONGEST_REMEMBERED];
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

    /** Whether the bytes are the block last remembered: then {@link #remembered} is what they mean. */
    boolean repeats(byte[] in, int from, int length) {
        return length == this.length && length > 0 && Arrays.equals(in, from, from + length, block, 0, length);
    }

    RequestHead remembered() {
        return remembered;
    }

    /** The head last decoded came from this block, which has no part in any other frame. */
    void remember(byte[] in, int from, int to) {
        if (to - from > LONGEST_REMEMBERED || changesTable(in, from, to)) {
            forget();
            return;
        }
        length = to - from;
        System.arraycopy(in, from, block, 0, length);
        RequestHead decoded = next;
        next = remembered;
        remembered = decoded;
    }

    /** Blocks may mean something else from now on. */
    void forget() {
        length = 0;
    }

    /** Walks a block that was decoded without fault: RFC 7541, 6. */
    private static boolean changesTable(byte[] in, int from, int to) {
        int at = from;
        while (at < to) {
            int b = in[at] & 0xFF;
            if (b >= 0x80) {
                at = afterInteger(in, at, 0x7F);
            } else if (b >= 0x20) {
                return true; // a literal that is added, or a new size
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

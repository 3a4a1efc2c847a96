package dev.weir.server.grpc.http2;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What arrives on a connection: the preface, then frames. Whole frames are taken where they lie in the read; one that comes in
 * parts is put together first.
 */
public final class FrameAssembler {
    private static final int LONGEST_LINE = 8 << 10;
    private static final byte[] PREFACE = ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf());

    /** Who takes the frames. */
    public interface Taker {

        /** The peer speaks HTTP/2: its preface is here. */
        void preface();

        /** The peer speaks HTTP/1, and nothing more is to be taken from it. */
        void http1();

        /** Takes the frame that begins at {@code at}, and returns where the next one begins. */
        int frame(byte[] in, int at, int end) throws Http2Exception;

        /** Whether it takes no more. */
        boolean isClosing();

        /** When what is being taken arrived. */
        long now();
    }

    private final Taker taker;
    private byte @Nullable [] partial;
    private long partialSince;
    private int partialSize;
    private int prefaceSeen;

    public FrameAssembler(Taker taker) {
        this.taker = taker;
    }

    /** Takes the first {@code end} bytes of {@code in}, which may hold something else afterwards. */
    public void take(byte[] in, int end) throws Http2Exception {
        int at = finish(in, preface(in, end), end);
        while (at < end && !taker.isClosing() && FrameDecoder.missing(in, at, end) == 0) {
            at = taker.frame(in, at, end);
        }
        if (at < end && !taker.isClosing()) {
            partialSize = end - at;
            partialSince = taker.now();
            partial = Arrays.copyOfRange(in, at, end + FrameDecoder.missing(in, at, end));
        }
    }

    /** Since when a frame has been on its way; {@link FrameDecoder#NOT_WAITING} while none is. */
    public long unfinishedSince() {
        return partial == null ? FrameDecoder.NOT_WAITING : partialSince;
    }

    /** Bytes that are kept of a frame that is not whole. */
    public int held() {
        return partial == null ? 0 : partial.length;
    }

    private int preface(byte[] in, int end) throws Http2Exception {
        int at = 0;
        while (prefaceSeen < PREFACE.length && at < end) {
            if (in[at++] != PREFACE[prefaceSeen++]) {
                if (!isHttp1(in, end)) {
                    throw Http2Exception.connectionError(PROTOCOL_ERROR, "not HTTP/2: wrong preface");
                }
                taker.http1();
                return end;
            }
            if (prefaceSeen == PREFACE.length) {
                taker.preface();
            }
        }
        return at;
    }

    /** Whether the first line is one that begins a request of HTTP/1. */
    private static boolean isHttp1(byte[] in, int end) {
        String text = new String(in, 0, Math.min(end, LONGEST_LINE), StandardCharsets.ISO_8859_1);
        return text.lines().findFirst().orElse("").contains(" HTTP/1.");
    }

    /** Goes on with the frame of which there is a part; the rest of the read stays where it is. */
    private int finish(byte[] in, int from, int end) throws Http2Exception {
        int at = from;
        byte[] frame = partial;
        while (frame != null && at < end) {
            int missing = FrameDecoder.missing(frame, 0, partialSize);
            if (partialSize + missing > frame.length) {
                frame = Arrays.copyOf(frame, partialSize + missing); // its header is whole now, and says how long it is
                partial = frame;
            }
            int more = Math.min(missing, end - at);
            System.arraycopy(in, at, frame, partialSize, more);
            at += more;
            partialSize += more;
            if (FrameDecoder.missing(frame, 0, partialSize) == 0) {
                partial = null;
                taker.frame(frame, 0, partialSize);
                frame = null;
            }
        }
        return at;
    }
}

package dev.weir.server.grpc.http2;

import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits the bytes of a connection into the preface and frames. A whole frame is passed on in place; a frame that
 * arrives in pieces is assembled first.
 */
public final class FrameAssembler {
    private static final int MAX_LINE = 8 << 10;
    private static final byte[] PREFACE = ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf());

    /** Handles the frames of a connection. */
    public interface Handler {

        /** Called when the peer's HTTP/2 preface has arrived. */
        void preface();

        /** Called when the peer speaks HTTP/1. Nothing more is read from it. */
        void http1();

        /** Handles the frame that begins at {@code at}, and returns where the next one begins. */
        int frame(byte[] in, int at, int end) throws Http2Exception;

        /** Whether frames are no longer handled. */
        boolean isClosing();

        /** The arrival time of the current bytes. */
        long now();
    }

    private final Handler handler;
    private byte @Nullable [] partial;
    private long partialSince;
    private int partialSize;
    private int prefaceSeen;

    public FrameAssembler(Handler handler) {
        this.handler = handler;
    }

    /** Handles the first {@code end} bytes of {@code in}. The array may be reused afterwards. */
    public void take(byte[] in, int end) throws Http2Exception {
        int at = finish(in, preface(in, end), end);
        while (at < end && !handler.isClosing() && FrameDecoder.missing(in, at, end) == 0) {
            at = handler.frame(in, at, end);
        }
        if (at < end && !handler.isClosing()) {
            partialSize = end - at;
            partialSince = handler.now();
            partial = Arrays.copyOfRange(in, at, end + FrameDecoder.missing(in, at, end));
        }
    }

    /** The time since which a frame is incomplete; {@link FrameDecoder#NOT_WAITING} if none is. */
    public long unfinishedSince() {
        return partial == null ? FrameDecoder.NOT_WAITING : partialSince;
    }

    /** The size of the buffer that holds an incomplete frame. */
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
                handler.http1();
                return end;
            }
            if (prefaceSeen == PREFACE.length) {
                handler.preface();
            }
        }
        return at;
    }

    /** Whether the first line starts an HTTP/1 request. */
    private static boolean isHttp1(byte[] in, int end) {
        String text = new String(in, 0, Math.min(end, MAX_LINE), StandardCharsets.ISO_8859_1);
        return text.lines().findFirst().orElse("").contains(" HTTP/1.");
    }

    /** Completes the partial frame. The rest of the read stays in place. */
    private int finish(byte[] in, int from, int end) throws Http2Exception {
        int at = from;
        byte[] frame = partial;
        while (frame != null && at < end) {
            int missing = FrameDecoder.missing(frame, 0, partialSize);
            if (partialSize + missing > frame.length) {
                frame = Arrays.copyOf(frame, partialSize + missing); // the header is complete: the length is known
                partial = frame;
            }
            int more = Math.min(missing, end - at);
            System.arraycopy(in, at, frame, partialSize, more);
            at += more;
            partialSize += more;
            if (FrameDecoder.missing(frame, 0, partialSize) == 0) {
                partial = null;
                handler.frame(frame, 0, partialSize);
                frame = null;
            }
        }
        return at;
    }
}

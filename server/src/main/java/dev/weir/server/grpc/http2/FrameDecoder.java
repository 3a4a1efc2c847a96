package dev.weir.server.grpc.http2;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.LongSupplier;

/**
 * Cuts what arrives into frames. Plain DATA frames and repeated HEADERS frames go straight to the sink; every other frame is
 * read and checked by Netty's reader, whole.
 */
public final class FrameDecoder {
    public static final int HEADER = 9;
    /** Nothing is incomplete: later than any moment since which something was. */
    public static final long NOT_WAITING = Long.MAX_VALUE;
    /** HTTP/2's and gRPC's numbers in an array. */
    public static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** What a peer may send in a frame as long as nobody tells it otherwise, and we do not. */
    private static final int LONGEST = Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;

    private static final int TYPE = 3;
    private static final int FLAGS = 4;
    private static final int STREAM = 5;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;

    private final RequestHeadDecoder heads;
    private final DefaultHttp2FrameReader reader;
    private final FrameSink sink;
    private final Http2FrameListener listener;
    /** A header block has begun and not ended: the next frame must go on with it, and Netty's reader sees to that. */
    private boolean inHeaders;

    private long headersSince;
    private int blockSize;
    private final LongSupplier time;

    public FrameDecoder(RequestHeadDecoder heads, FrameSink sink, Http2FrameListener listener, LongSupplier time) {
        this.heads = heads;
        this.reader = new DefaultHttp2FrameReader(heads);
        this.sink = sink;
        this.listener = listener;
        this.time = time;
    }

    /** How many bytes the frame at {@code at} lacks. One that is too long lacks nothing: its header is enough to refuse it. */
    static int missing(byte[] in, int at, int end) {
        int has = end - at;
        if (has < HEADER) {
            return HEADER - has;
        }
        int length = (int) INT.get(in, at) >>> 8;
        return length > LONGEST ? 0 : Math.max(0, HEADER + length - has);
    }

    public static int typeOf(byte[] in, int at) {
        return in[at + TYPE];
    }

    /** Where the frame after the one at {@code at} begins. */
    public static int after(byte[] in, int at) {
        return at + HEADER + ((int) INT.get(in, at) >>> 8);
    }

    /** Takes the one frame at {@code at}, of which nothing is {@linkplain #missing missing}; returns where the next begins. */
    public int take(ChannelHandlerContext ctx, byte[] in, int at, int end) throws Http2Exception {
        int lengthAndType = (int) INT.get(in, at);
        int length = lengthAndType >>> 8;
        int type = lengthAndType & 0xFF;
        int flags = in[at + FLAGS] & 0xFF;
        int stream = (int) INT.get(in, at + STREAM) & Integer.MAX_VALUE;
        if (!inHeaders && length <= LONGEST && stream != 0) {
            if (type == Http2FrameTypes.DATA && (flags & PADDED) == 0) {
                sink.data(stream, in, at + HEADER, length, 0, (flags & END_STREAM) != 0);
                return at + HEADER + length;
            }
            if (type == Http2FrameTypes.HEADERS
                    && (flags & ~END_STREAM) == END_HEADERS
                    && heads.repeats(in, at + HEADER, length)) {
                sink.head(stream, heads.remembered(), (flags & END_STREAM) != 0);
                return at + HEADER + length;
            }
        }
        int next = Math.min(end, at + HEADER + length);
        read(ctx, in, at, next, type, flags);
        return next;
    }

    private void read(ChannelHandlerContext ctx, byte[] in, int at, int next, int type, int flags)
            throws Http2Exception {
        boolean block = type == Http2FrameTypes.HEADERS
                || type == Http2FrameTypes.CONTINUATION
                || type == Http2FrameTypes.PUSH_PROMISE;
        boolean whole = !inHeaders && type == Http2FrameTypes.HEADERS && (flags & ~END_STREAM) == END_HEADERS;
        if (block) {
            headersSince = inHeaders ? headersSince : time.getAsLong();
            inHeaders = (flags & END_HEADERS) == 0;
            blockSize = inHeaders ? blockSize + next - at : 0;
            heads.forget();
        }
        // The reader copies what it keeps for later.
        reader.readFrame(ctx, Unpooled.wrappedBuffer(in, at, next - at), listener);
        if (whole) {
            heads.remember(in, at + HEADER, next);
        }
    }

    /** Since when a header block has been on its way; {@link #NOT_WAITING} while none is. */
    public long unfinishedSince() {
        return inHeaders ? headersSince : NOT_WAITING;
    }

    /** Bytes that the reader keeps of a header block that is not whole. */
    public int held() {
        return blockSize;
    }

    public void close() {
        reader.close();
    }
}

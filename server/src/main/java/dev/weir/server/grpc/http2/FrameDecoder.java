package dev.weir.server.grpc.http2;

import dev.weir.server.hpack.HeaderTableMemory;
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
 * Decodes frames. Plain DATA frames and repeated HEADERS frames go straight to the sink; Netty's reader decodes and
 * checks every other frame.
 */
public final class FrameDecoder {
    public static final int HEADER = 9;
    /** The start time if nothing is incomplete: later than any real time. */
    public static final long NOT_WAITING = Long.MAX_VALUE;
    /** Reads and writes the big-endian integers of HTTP/2 and gRPC in an array. */
    public static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** The longest frame that a peer may send: HTTP/2's default, which this server does not raise. */
    private static final int MAX_LENGTH = Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;

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
    /** A header block has begun and not ended. The next frame must continue it, which Netty's reader checks. */
    private boolean inHeaders;

    private long headersSince;
    private int blockSize;
    private final LongSupplier time;
    private final HeaderTableMemory table = new HeaderTableMemory();

    public FrameDecoder(RequestHeadDecoder heads, FrameSink sink, Http2FrameListener listener, LongSupplier time) {
        this.heads = heads;
        this.reader = new DefaultHttp2FrameReader(heads);
        this.sink = sink;
        this.listener = listener;
        this.time = time;
    }

    /**
     * The number of bytes that the frame at {@code at} lacks. A frame that is too long lacks none: its header is enough
     * to refuse it.
     */
    static int missing(byte[] in, int at, int end) {
        int has = end - at;
        if (has < HEADER) {
            return HEADER - has;
        }
        int length = (int) INT.get(in, at) >>> 8;
        return length > MAX_LENGTH ? 0 : Math.max(0, HEADER + length - has);
    }

    public static int typeOf(byte[] in, int at) {
        return in[at + TYPE];
    }

    /** The start of the frame after the one at {@code at}. */
    public static int after(byte[] in, int at) {
        return at + HEADER + ((int) INT.get(in, at) >>> 8);
    }

    /** Decodes the frame at {@code at}, which must be complete, and returns where the next one begins. */
    public int take(ChannelHandlerContext ctx, byte[] in, int at, int end) throws Http2Exception {
        int lengthAndType = (int) INT.get(in, at);
        int length = lengthAndType >>> 8;
        int type = lengthAndType & 0xFF;
        int flags = in[at + FLAGS] & 0xFF;
        int stream = (int) INT.get(in, at + STREAM) & Integer.MAX_VALUE;
        if (!inHeaders && length <= MAX_LENGTH && stream != 0) {
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
        // The reader copies what it keeps.
        reader.readFrame(ctx, Unpooled.wrappedBuffer(in, at, next - at), listener);
        boolean remembered = whole && heads.remember(in, at + HEADER, next);
        if (block && !remembered) {
            addToTable(in, at + HEADER, next, type, flags);
        }
    }

    private void addToTable(byte[] in, int from, int to, int type, int flags) {
        if (type == Http2FrameTypes.HEADERS) {
            table.headers(flags, to - from);
        } else {
            table.continuation(to - from);
        }
        for (int i = from; i < to; i++) {
            table.take(in[i]);
        }
    }

    /** The time since which a header block is incomplete; {@link #NOT_WAITING} if none is. */
    public long unfinishedSince() {
        return inHeaders ? headersSince : NOT_WAITING;
    }

    /** The bytes of an incomplete header block. */
    public int held() {
        return blockSize;
    }

    /** The memory of the table of headers, which lives as long as the connection. */
    public int heldTable() {
        return table.bytes();
    }

    public void close() {
        reader.close();
    }
}

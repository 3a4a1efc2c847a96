package dev.weir.server.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Cuts what arrives into frames. Plain DATA frames and repeated HEADERS frames go straight to the sink; every other frame is
 * read and checked by Netty's reader, whole.
 */
final class FrameCutter {
    static final int HEADER = 9;

    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;

    private final Heads heads;
    private final DefaultHttp2FrameReader reader;
    private final FrameSink sink;
    private final Http2FrameListener listener;
    /** A header block has begun and not ended: the next frame must go on with it, and Netty's reader sees to that. */
    private boolean inHeaders;

    FrameCutter(Heads heads, FrameSink sink, Http2FrameListener listener) {
        this.heads = heads;
        this.reader = new DefaultHttp2FrameReader(heads);
        this.sink = sink;
        this.listener = listener;
    }

    /** How many bytes the frame at the reader index lacks. */
    int missing(ByteBuf in) {
        int has = in.readableBytes();
        if (has < HEADER) {
            return HEADER - has;
        }
        int length = in.getUnsignedMedium(in.readerIndex());
        return length > reader.maxFrameSize() ? 0 : Math.max(0, HEADER + length - has);
    }

    /** The type and stream of the frame at the reader index are those of an opening of a stream. */
    static boolean isHeaders(ByteBuf in) {
        return in.getByte(in.readerIndex() + 3) == Http2FrameTypes.HEADERS;
    }

    static int streamOf(ByteBuf in) {
        return in.getInt(in.readerIndex() + 5) & Integer.MAX_VALUE;
    }

    /** Takes the one frame at the reader index, of which nothing is {@linkplain #missing missing}. */
    void take(ChannelHandlerContext ctx, ByteBuf in) throws Http2Exception {
        int start = in.readerIndex();
        int length = in.getUnsignedMedium(start);
        int typeAndFlags = in.getUnsignedShort(start + 3);
        int type = typeAndFlags >>> 8;
        int flags = typeAndFlags & 0xFF;
        if (!inHeaders && length <= reader.maxFrameSize()) {
            int stream = in.getInt(start + 5) & Integer.MAX_VALUE;
            if (type == Http2FrameTypes.DATA && (flags & PADDED) == 0 && stream != 0) {
                in.skipBytes(HEADER + length);
                sink.data(stream, in, start + HEADER, length, 0, (flags & END_STREAM) != 0);
                return;
            }
            if (type == Http2FrameTypes.HEADERS
                    && (flags & ~END_STREAM) == END_HEADERS
                    && stream != 0
                    && heads.repeats(in, start + HEADER, length)) {
                in.skipBytes(HEADER + length);
                sink.head(stream, heads.remembered(), (flags & END_STREAM) != 0);
                return;
            }
        }
        read(ctx, in, type, flags, length);
    }

    private void read(ChannelHandlerContext ctx, ByteBuf in, int type, int flags, int length) throws Http2Exception {
        boolean block = type == Http2FrameTypes.HEADERS
                || type == Http2FrameTypes.CONTINUATION
                || type == Http2FrameTypes.PUSH_PROMISE;
        boolean whole = !inHeaders && type == Http2FrameTypes.HEADERS && (flags & ~END_STREAM) == END_HEADERS;
        if (block) {
            inHeaders = (flags & END_HEADERS) == 0;
            heads.forget();
        }
        int start = in.readerIndex();
        ByteBuf frame = in.readSlice(Math.min(in.readableBytes(), HEADER + length));
        reader.readFrame(ctx, frame, listener);
        if (whole) {
            heads.remember(in, start + HEADER, length);
        }
    }

    void close() {
        reader.close();
    }
}

package dev.weir.server.grpc.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Collects the frames that a connection sends in one buffer, and sends the buffer with one write and one flush. */
public final class FrameOutput {
    private static final int END_STREAM = 0x1;
    private static final int ACK = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int MIN_SIZE = 1 << 10;
    private static final int MAX_GUESS = 64 << 10;
    /** HPACK's "dynamic table size update" to zero. */
    private static final int TABLE_SIZE_ZERO = 0x20;

    private static final String NO_HTTP_1 = "This port speaks gRPC over HTTP/2 only. Use the HTTP port for HTTP/1.1.\n";
    private static final String TO_HTTP_1 =
            "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Type: text/plain\r\nContent-Length: "
                    + NO_HTTP_1.length() + "\r\nConnection: close\r\n\r\n" + NO_HTTP_1;

    private final ChannelHandlerContext ctx;
    private @Nullable ByteBuf buffer;
    private int guess = MIN_SIZE;
    private boolean tableSizeUpdateDue;
    private int lastStreamSent = Integer.MAX_VALUE;

    public FrameOutput(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    /** The buffer to append to, with room for {@code bytes} more. */
    public ByteBuf room(int bytes) {
        ByteBuf to = buffer;
        if (to == null) {
            to = ctx.alloc().directBuffer(Math.max(guess, bytes));
            buffer = to;
        }
        return to.ensureWritable(bytes);
    }

    public int size() {
        return buffer == null ? 0 : buffer.readableBytes();
    }

    /** Sends everything that was collected. */
    public void flush() {
        ByteBuf full = buffer;
        if (full != null) {
            buffer = null;
            int size = full.readableBytes();
            // Follows the size of batches, fast up and slowly down, in powers of two so that the allocator's caches
            // hit.
            int fit = Integer.highestOneBit(Math.max(MIN_SIZE, Math.min(MAX_GUESS, size) - 1)) << 1;
            guess = fit >= guess ? Math.min(fit, MAX_GUESS) : Math.max(MIN_SIZE, guess - (guess >> 3));
            // With a void promise, a failure goes to the pipeline, which closes the connection.
            var unused = ctx.writeAndFlush(full, ctx.voidPromise());
        }
    }

    public void release() {
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
    }

    /** Notes that the peer reduced its header table. HPACK requires an acknowledgement in the next header block. */
    public void tableSizeReduced() {
        tableSizeUpdateDue = true;
    }

    /** Whether the next header block must start with a table size update, and so cannot be a pre-encoded one. */
    public boolean needsTableSizeUpdate() {
        return tableSizeUpdateDue;
    }

    public void headers(int stream, byte[] block, boolean end) {
        int extra = tableSizeUpdateDue ? 1 : 0;
        int flags = end ? END_HEADERS | END_STREAM : END_HEADERS;
        ByteBuf out = room(FrameDecoder.HEADER + extra + block.length);
        header(out, extra + block.length, Http2FrameTypes.HEADERS, flags, stream);
        if (tableSizeUpdateDue) {
            tableSizeUpdateDue = false;
            out.writeByte(TABLE_SIZE_ZERO);
        }
        out.writeBytes(block);
    }

    public void data(int stream, ByteBuf from, int length, boolean end) {
        ByteBuf out = room(FrameDecoder.HEADER + length);
        header(out, length, Http2FrameTypes.DATA, end ? END_STREAM : 0, stream);
        out.writeBytes(from, length);
    }

    /** Writes the whole answer to a peer that speaks HTTP/1. */
    public void http1() {
        room(TO_HTTP_1.length()).writeCharSequence(TO_HTTP_1, StandardCharsets.US_ASCII);
    }

    public void settings(int streams, int headerList) {
        ByteBuf out = room(FrameDecoder.HEADER + 12);
        header(out, 12, Http2FrameTypes.SETTINGS, 0, 0);
        out.writeShort(3).writeInt(streams);
        out.writeShort(6).writeInt(headerList);
    }

    public void settingsAck() {
        header(room(FrameDecoder.HEADER), 0, Http2FrameTypes.SETTINGS, ACK, 0);
    }

    public void ping(long data, boolean ack) {
        ByteBuf out = room(FrameDecoder.HEADER + 8);
        header(out, 8, Http2FrameTypes.PING, ack ? ACK : 0, 0);
        out.writeLong(data);
    }

    public void reset(int stream, Http2Error error) {
        ByteBuf out = room(FrameDecoder.HEADER + 4);
        header(out, 4, Http2FrameTypes.RST_STREAM, 0, stream);
        out.writeInt((int) error.code());
    }

    public void windowUpdate(int stream, int bytes) {
        ByteBuf out = room(FrameDecoder.HEADER + 4);
        header(out, 4, Http2FrameTypes.WINDOW_UPDATE, 0, stream);
        out.writeInt(bytes);
    }

    /** Writes GOAWAY. RFC 9113, 6.8: the last stream may only become lower from one GOAWAY to the next. */
    public void goAway(int lastStream, Http2Error error, String why) {
        byte[] text = why.getBytes(StandardCharsets.US_ASCII);
        lastStreamSent = Math.min(lastStreamSent, lastStream);
        ByteBuf out = room(FrameDecoder.HEADER + 8 + text.length);
        header(out, 8 + text.length, Http2FrameTypes.GO_AWAY, 0, 0);
        out.writeInt(lastStreamSent).writeInt((int) error.code()).writeBytes(text);
    }

    private static void header(ByteBuf out, int length, byte type, int flags, int stream) {
        out.writeLong((long) length << 40 | (type & 0xFFL) << 32 | (flags & 0xFFL) << 24 | (stream >>> 8 & 0xFFFFFF));
        out.writeByte(stream);
    }
}

package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.vertx.core.http.impl.Http1xOrH2CHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of incomplete input on an HTTP connection, in clear text: a head of HTTP/1, or a frame or header block
 * of HTTP/2. Over HTTP/2 it also closes the connection if they take too long; over HTTP/1, {@link Http1Guard} does.
 */
final class UnfinishedInput extends ChannelInboundHandlerAdapter {
    static final String NAME = "unfinished";

    private static final byte[] PREFACE = Http1xOrH2CHandler.HTTP_2_PREFACE.getBytes(StandardCharsets.US_ASCII);
    private static final int FRAME_HEADER = 9;
    private static final int TYPE = 3;
    private static final int FLAGS = 4;
    private static final int END_HEADERS = 0x4;

    private enum Speaks {
        /** The first bytes may still become the preface of HTTP/2. */
        NOT_KNOWN,
        /** HTTP/1 until the preface of HTTP/2 arrives after the upgrade request. */
        UPGRADING,
        HTTP_1,
        HTTP_2
    }

    private final Duration most;
    private final BiConsumer<ChannelHandlerContext, String> late;
    private Speaks speaks = Speaks.NOT_KNOWN;
    private int prefaceSeen;
    private long head;
    private final byte[] frameHeader = new byte[FRAME_HEADER];
    private int headerSeen;
    private int payloadLeft;
    private int payloadSeen;
    private boolean inBlock;
    private long block;
    private boolean waiting;
    private long since;
    private @Nullable Future<?> due;

    /** {@code late} closes the connection if something takes longer than {@code most}. */
    UnfinishedInput(Duration most, BiConsumer<ChannelHandlerContext, String> late) {
        this.most = most;
        this.late = late;
    }

    /** Bytes that arrived and wait for more; the buffers that hold them grow in powers of two. */
    long held() {
        long bytes = head + block + headerSeen + payloadSeen;
        return bytes == 0 ? 0 : Long.highestOneBit(2 * bytes - 1);
    }

    /** Called over HTTP/1 when a message is complete. */
    void used() {
        head = 0;
    }

    /** Called when the connection is upgraded from HTTP/1 to HTTP/2; the preface follows. */
    void upgraded() {
        if (speaks == Speaks.HTTP_1) {
            speaks = Speaks.UPGRADING;
            prefaceSeen = 0;
            head = 0;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            take(bytes);
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        if (isWaiting() && due == null) {
            watch(ctx, most.toNanos());
        }
    }

    private void take(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        while (at < end && (speaks == Speaks.NOT_KNOWN || speaks == Speaks.UPGRADING)) {
            preface(bytes.getByte(at));
            at++;
        }
        if (speaks == Speaks.HTTP_1) {
            head += end - bytes.readerIndex();
        }
        while (at < end && speaks == Speaks.HTTP_2) {
            at = frame(bytes, at, end);
        }
    }

    private void preface(byte next) {
        if (next == PREFACE[prefaceSeen]) {
            prefaceSeen++;
            if (prefaceSeen == PREFACE.length) {
                speaks = Speaks.HTTP_2;
            }
        } else if (speaks == Speaks.UPGRADING) {
            prefaceSeen = next == PREFACE[0] ? 1 : 0; // no other byte of the preface is like its first
        } else {
            speaks = Speaks.HTTP_1;
        }
    }

    /** Follows one frame, or a part of it; returns where it stopped. */
    private int frame(ByteBuf bytes, int from, int end) {
        int at = from;
        if (headerSeen < FRAME_HEADER) {
            int more = Math.min(FRAME_HEADER - headerSeen, end - at);
            bytes.getBytes(at, frameHeader, headerSeen, more);
            headerSeen += more;
            at += more;
            if (headerSeen < FRAME_HEADER) {
                return at;
            }
            payloadLeft = (frameHeader[0] & 0xFF) << 16 | (frameHeader[1] & 0xFF) << 8 | (frameHeader[2] & 0xFF);
        }
        int more = Math.min(payloadLeft, end - at);
        payloadLeft -= more;
        payloadSeen += more;
        if (payloadLeft == 0) {
            whole();
        }
        return at + more;
    }

    private void whole() {
        int type = frameHeader[TYPE];
        if (type == Http2FrameTypes.HEADERS || type == Http2FrameTypes.CONTINUATION) {
            inBlock = (frameHeader[FLAGS] & END_HEADERS) == 0;
            block = inBlock ? block + payloadSeen : 0;
        }
        headerSeen = 0;
        payloadSeen = 0;
        waiting &= inBlock;
    }

    /** Whether a frame other than DATA, or a header block, is incomplete. Bodies have their own timeout. */
    private boolean isWaiting() {
        boolean frame = headerSeen > 0 && (headerSeen < FRAME_HEADER || frameHeader[TYPE] != Http2FrameTypes.DATA);
        boolean begun = inBlock || frame;
        if (begun && !waiting) {
            since = System.nanoTime();
        }
        waiting = begun;
        return begun;
    }

    private void watch(ChannelHandlerContext ctx, long nanos) {
        due = ctx.executor().schedule(() -> look(ctx), nanos, TimeUnit.NANOSECONDS);
    }

    private void look(ChannelHandlerContext ctx) {
        due = null;
        if (waiting) {
            long left = most.toNanos() - (System.nanoTime() - since);
            if (left <= 0) {
                late.accept(ctx, "a head or a frame was not whole after " + most.toMillis() + " ms");
            } else {
                watch(ctx, left);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (due != null) {
            due.cancel(false);
        }
        ctx.fireChannelInactive();
    }
}

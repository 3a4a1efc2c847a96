package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateHandler;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes plain requests to the busiest path out of an HTTP/1.1 connection and answers them at once; everything else goes
 * on to the HTTP server. It stands before the server's decoder.
 *
 * <p>A request is taken only between two messages: while the server reads a request, or has one that it has not
 * answered, all bytes are the server's. The answers of one read are flushed together.
 *
 * <p>A plain request that has not arrived whole waits here for {@value #PATIENCE_MILLIS} ms and is charged meanwhile; then
 * the server gets it, with its own timeouts.
 */
final class DirectAnswers extends ChannelInboundHandlerAdapter {
    static final String NAME = "direct";

    private static final System.Logger LOG = System.getLogger(DirectAnswers.class.getName());
    private static final long PATIENCE_MILLIS = 100;
    /** Bytes of a part, which are copied and read again with each byte that arrives. */
    private static final int LONGEST_PART = 4 << 10;

    private final DirectHandler handler;
    private final PlainPostReader reader;
    private final HttpConnectionMeter meter;
    private final Http1Guard guard;
    private final @Nullable IdleStateHandler idle;
    /** The begin of a plain request. */
    private @Nullable ByteBuf part;

    private long charged;
    private @Nullable Future<?> patience;
    private boolean answered;
    /** Whether anything has arrived that the server did not get. It must not take it for the begin of a head. */
    private boolean kept;
    /** Whether the server got anything of what has arrived. */
    private boolean passed;

    DirectAnswers(
            DirectHandler handler,
            PlainPostReader reader,
            HttpConnectionMeter meter,
            Http1Guard guard,
            @Nullable IdleStateHandler idle) {
        this.handler = handler;
        this.reader = reader;
        this.meter = meter;
        this.guard = guard;
        this.idle = idle;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf read)) {
            ctx.fireChannelRead(message);
            return;
        }
        ByteBuf bytes = withPart(read);
        boolean whole = !mayAnswer(ctx) || answerAll(ctx, bytes) || bytes.readableBytes() > LONGEST_PART;
        if (whole && bytes.isReadable()) {
            passed = true;
            ctx.fireChannelRead(bytes);
            return;
        }
        kept = true;
        if (bytes.isReadable()) {
            keep(ctx, bytes);
        } else {
            bytes.release();
        }
    }

    private boolean mayAnswer(ChannelHandlerContext ctx) {
        return meter.input().isBetweenMessages()
                && guard.isIdle()
                && ctx.channel().isWritable()
                && handler.isOpen();
    }

    /** Answers the plain requests at the begin of {@code bytes}; false if what is left may become one. */
    private boolean answerAll(ChannelHandlerContext ctx, ByteBuf bytes) {
        reader.load(bytes);
        int start = bytes.readerIndex();
        int length = bytes.readableBytes();
        int at = 0;
        ByteBuf out = null;
        PlainPostReader.Found found = PlainPostReader.Found.OTHER;
        while (at < length) {
            found = reader.read(at);
            if (found != PlainPostReader.Found.WHOLE) {
                break;
            }
            int next = reader.next();
            HttpAnswer answer = answer(ctx, reader.body());
            if (answer == null) {
                found = PlainPostReader.Found.OTHER;
                break;
            }
            if (out == null) {
                out = ctx.alloc().ioBuffer();
            }
            write(answer, out);
            at = next;
        }
        bytes.readerIndex(start + at);
        if (out != null) {
            answered = true;
            var unused = ctx.write(out);
        }
        return found != PlainPostReader.Found.PART;
    }

    private static void write(HttpAnswer answer, ByteBuf out) {
        int begin = out.writerIndex();
        try {
            answer.write(out);
        } catch (RuntimeException e) {
            out.writerIndex(begin);
            internalError(e).write(out);
        }
    }

    private static HttpAnswer internalError(RuntimeException e) {
        LOG.log(Level.ERROR, "a request failed with an internal error", e);
        return HttpProblems.of(500, "internal error; see the server's log", List.of());
    }

    private @Nullable HttpAnswer answer(ChannelHandlerContext ctx, byte[] body) {
        try {
            return handler.answer(ctx, body);
        } catch (RuntimeException e) {
            return internalError(e);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (answered) {
            answered = false;
            ctx.flush();
            if (idle != null) {
                idle.resetReadTimeout();
                idle.resetWriteTimeout();
            }
        }
        if (passed || !kept) {
            ctx.fireChannelReadComplete();
        }
        passed = false;
        kept = false;
    }

    private void keep(ChannelHandlerContext ctx, ByteBuf bytes) {
        part = bytes;
        charged = bytes.capacity();
        meter.bodies(charged);
        if (patience == null) {
            patience = ctx.executor().schedule(() -> passOn(ctx), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Joins {@code read} to the part that waited; the time that a part may wait goes on. */
    private ByteBuf withPart(ByteBuf read) {
        ByteBuf before = takePart();
        if (before == null) {
            endPatience();
            return read;
        }
        ByteBuf both = Unpooled.buffer(before.readableBytes() + read.readableBytes());
        both.writeBytes(before).writeBytes(read);
        before.release();
        read.release();
        return both;
    }

    private @Nullable ByteBuf takePart() {
        ByteBuf before = part;
        part = null;
        if (charged > 0) {
            meter.bodies(-charged);
            charged = 0;
        }
        return before;
    }

    private void passOn(ChannelHandlerContext ctx) {
        patience = null;
        ByteBuf waited = takePart();
        if (waited != null) {
            ctx.fireChannelRead(waited);
            ctx.fireChannelReadComplete();
        }
    }

    private void endPatience() {
        if (patience != null) {
            patience.cancel(false);
            patience = null;
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        endPatience();
        ByteBuf waited = takePart();
        if (waited != null) {
            waited.release();
        }
    }
}

package dev.weir.server.http;

import dev.weir.server.memory.ConnectionMemory;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.OutOfMemory;
import dev.weir.server.memory.WaitingMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Charges an HTTP connection for the bytes that it holds: incomplete heads, frames and bodies, and answers that the peer
 * has not read. Bytes that wait for more are charged with the buffer that they came in.
 */
final class HttpConnectionMeter extends ChannelDuplexHandler {
    static final String NAME = "meter";
    private static final String TLS = "ssl";
    private static final long RECHECK_MILLIS = 500;

    private final MemoryBudget budget;
    private final OutOfMemory outOfMemory;
    private final UnfinishedInput input;
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable ConnectionMemory memory;
    private @Nullable MeteredFlowController streams;
    private long bodies;
    /** The buffer of the last read, of which a few bytes that wait for more keep all. */
    private int lastRead;

    private boolean watching;
    private boolean recheck;

    HttpConnectionMeter(MemoryBudget budget, OutOfMemory outOfMemory, UnfinishedInput input) {
        this.budget = budget;
        this.outOfMemory = outOfMemory;
        this.input = input;
    }

    /** The meter of a connection; null if its port has no guard. */
    static @Nullable HttpConnectionMeter of(HttpConnection connection) {
        return connection instanceof ConnectionBase base
                        && base.channel().pipeline().get(NAME) instanceof HttpConnectionMeter meter
                ? meter
                : null;
    }

    /** The budget for requests of this connection whose answers wait. */
    WaitingMemory waiting() {
        return budget.waiting();
    }

    @Nullable
    SocketAddress remote() {
        ChannelHandlerContext c = ctx;
        return c == null ? null : c.channel().remoteAddress();
    }

    UnfinishedInput input() {
        return input;
    }

    /** Also charges the streams of HTTP/2, and answers that wait for its flow control windows. */
    void http2(MeteredFlowController streams) {
        this.streams = streams;
    }

    /** Adds to the bytes of incomplete bodies and of requests behind another; negative to subtract. To be called on the connection's event loop. */
    void bodies(long more) {
        bodies += more;
        settle();
    }

    /** Sends what is written, and closes. To be called on the connection's event loop. */
    void close() {
        ChannelHandlerContext c = ctx;
        if (c != null) {
            c.channel().flush();
            var unused = c.close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        this.ctx = ctx;
        ConnectionMemory account = budget.open(ctx.channel().remoteAddress(), () -> {
            var unused = ctx.close();
        });
        memory = account;
        ctx.channel().closeFuture().addListener(closed -> account.closed());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
        if (!watching) {
            watching = true;
            // Frames can be told apart only behind TLS, which Vert.x adds after this handler.
            String before = ctx.pipeline().get(TLS) == null ? NAME : TLS;
            ctx.pipeline().addAfter(before, UnfinishedInput.NAME, input);
        }
        if (bytes instanceof ByteBuf read) {
            lastRead = read.capacity();
        }
        ctx.fireChannelRead(bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        settle();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        ctx.flush();
        settle();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.fireChannelWritabilityChanged();
        settle();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        outOfMemory.look(cause);
        if (cause instanceof IOException) {
            var unused = ctx.close(); // the peer is gone; Vert.x would log it for some requests
        } else {
            ctx.fireExceptionCaught(cause);
        }
    }

    private void settle() {
        ConnectionMemory account = memory;
        ChannelHandlerContext c = ctx;
        if (account == null || c == null) {
            return;
        }
        long out = outbound(c);
        long in = input.held();
        long unfinished = in == 0 ? 0 : in + lastRead + input.heldFields() * RequestSize.FIELD;
        account.holds(unfinished + bodies + out, input.heldTable());
        // The socket writes the remaining bytes without notifying this handler.
        if (out > 0 && !recheck) {
            recheck = true;
            var unused = c.executor().schedule(this::settleAgain, RECHECK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void settleAgain() {
        recheck = false;
        settle();
    }

    private long outbound(ChannelHandlerContext c) {
        ChannelOutboundBuffer buffer = c.channel().unsafe().outboundBuffer();
        long waiting = buffer == null ? 0 : buffer.totalPendingWriteBytes();
        return waiting + (streams == null ? 0 : streams.held());
    }
}

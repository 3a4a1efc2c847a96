package dev.weir.server.http;

import dev.weir.server.memory.ConnectionMemory;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.OutOfMemory;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Charges an HTTP connection for the bytes that it holds: incomplete heads, frames and bodies, and answers that the peer
 * has not read. One read buffer per connection is not charged; the bound on connections covers it.
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
    private @Nullable MeteredFlowController unsent;
    private long bodies;
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

    UnfinishedInput input() {
        return input;
    }

    /** Also charges answers that wait for the flow control windows of HTTP/2. */
    void http2(MeteredFlowController unsent) {
        this.unsent = unsent;
    }

    /** Adds to the bytes of incomplete bodies; negative to subtract. To be called on the connection's event loop. */
    void bodies(long more) {
        bodies += more;
        settle();
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
        ctx.fireExceptionCaught(cause);
    }

    private void settle() {
        ConnectionMemory account = memory;
        ChannelHandlerContext c = ctx;
        if (account == null || c == null) {
            return;
        }
        long out = outbound(c);
        account.holds(input.held() + bodies + out);
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
        return waiting + (unsent == null ? 0 : unsent.unsent());
    }
}

package dev.weir.server.http;

import dev.weir.server.memory.CloseReason;
import dev.weir.server.memory.ConnectionLimit;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.OutOfMemory;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a port that listens and sees every connection as it is accepted. It lets in so many at once, and lets go of those whose
 * first request does not come whole in its time: what trickles in byte by byte is never idle.
 */
@Sharable
final class ConnectionGuard extends ChannelInboundHandlerAdapter {
    private static final String FIRST_HEAD = "first head";

    private final ConnectionGuardSettings settings;
    private final boolean clearText;
    private final MemoryBudget memory;
    private final OutOfMemory outOfMemory;
    private final ConnectionLimit limit;

    ConnectionGuard(ConnectionGuardSettings settings, MemoryBudget memory, boolean clearText) {
        this.settings = settings;
        this.clearText = clearText;
        this.memory = memory;
        this.outOfMemory = new OutOfMemory(memory);
        this.limit =
                new ConnectionLimit("HTTP", settings.connections(), settings.connectionsOfAddress(), memory.closed());
    }

    /** Vert.x has a connection, which it has when its first request is there, or TLS is agreed on: from now on heads are watched here. */
    static void passed(HttpConnection connection) {
        ConnectionBase base = (ConnectionBase) connection;
        ChannelPipeline pipeline = base.channel().pipeline();
        if (pipeline.get(FIRST_HEAD) instanceof FirstHead first) {
            pipeline.remove(first);
            Http2ConnectionHandler http2 = pipeline.get(Http2ConnectionHandler.class);
            if (http2 != null) {
                first.meter().input().upgraded();
                first.meter().http2(MeteredFlowController.on(http2.connection()));
            } else if (Http1Guard.fits(pipeline)) {
                pipeline.addBefore(
                        base.channelHandlerContext().name(),
                        "heads",
                        new Http1Guard(first.most(), first.meter().input(), first::late));
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
        Channel channel = (Channel) accepted;
        String refused = limit.admit(channel);
        if (refused != null) {
            channel.pipeline().addLast(new Refusal(refused));
        } else {
            HttpConnectionMeter meter =
                    new HttpConnectionMeter(memory, outOfMemory, new UnfinishedInput(settings.head(), this::closeLate));
            channel.pipeline().addLast(HttpConnectionMeter.NAME, meter);
            channel.pipeline().addLast(FIRST_HEAD, new FirstHead(meter));
        }
        ctx.fireChannelRead(accepted);
    }

    private void closeLate(ChannelHandlerContext ctx, String why) {
        late(why);
        var unused = ctx.channel().close();
    }

    private void late(String why) {
        memory.closed().add(CloseReason.HEAD_TIMEOUT, 1, "HTTP: " + why);
    }

    /** Says {@code status} in HTTP/1, which every client understands, and closes. */
    private void turnAway(ChannelHandlerContext ctx, String status, String detail) {
        if (!clearText) {
            var unused = ctx.close(); // nothing can be said before TLS is agreed on
            return;
        }
        String text = "HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\nContent-Length: " + detail.length()
                + "\r\nConnection: close\r\n\r\n" + detail;
        ctx.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII))
                .addListener(ChannelFutureListener.CLOSE);
    }

    /** Of a connection that is one too many. */
    private final class Refusal extends ChannelInboundHandlerAdapter {
        private final String detail;

        Refusal(String detail) {
            this.detail = detail;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            turnAway(ctx, "503 Service Unavailable", detail + "\n");
        }
    }

    /** Of a connection of which Vert.x knows nothing yet. */
    private final class FirstHead extends ChannelInboundHandlerAdapter {
        private final HttpConnectionMeter meter;
        private @Nullable Future<?> due;

        FirstHead(HttpConnectionMeter meter) {
            this.meter = meter;
        }

        HttpConnectionMeter meter() {
            return meter;
        }

        void late() {
            ConnectionGuard.this.late("a head was not whole after " + most().toMillis() + " ms");
        }

        Duration most() {
            return settings.head();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object bytes) {
            if (due == null) {
                due = ctx.executor().schedule(() -> giveUp(ctx), most().toNanos(), TimeUnit.NANOSECONDS);
            }
            ctx.fireChannelRead(bytes);
        }

        private void giveUp(ChannelHandlerContext ctx) {
            late();
            turnAway(ctx, "408 Request Timeout", "head: not whole in its time\n");
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            if (due != null) {
                due.cancel(false);
            }
        }
    }
}

package dev.weir.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a port that listens and sees every connection as it is accepted. It lets in so many at once, and lets go of those whose
 * first request does not come whole in its time: what trickles in byte by byte is never idle.
 */
@Sharable
final class ConnectionGuard extends ChannelInboundHandlerAdapter {
    private static final System.Logger LOG = System.getLogger(ConnectionGuard.class.getName());
    private static final String FIRST_HEAD = "first head";

    private final ConnectionGuardSettings settings;
    private final boolean clearText;
    private final AtomicInteger open = new AtomicInteger();

    ConnectionGuard(ConnectionGuardSettings settings, boolean clearText) {
        this.settings = settings;
        this.clearText = clearText;
    }

    /** Vert.x has a connection, which it has when its first request is there, or TLS is agreed on: from now on heads are watched here. */
    static void passed(HttpConnection connection) {
        ConnectionBase base = (ConnectionBase) connection;
        ChannelPipeline pipeline = base.channel().pipeline();
        if (pipeline.get(FIRST_HEAD) instanceof FirstHead first) {
            pipeline.remove(first);
            if (Http1Guard.fits(pipeline)) {
                pipeline.addBefore(base.channelHandlerContext().name(), "heads", new Http1Guard(first.most()));
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
        Channel channel = (Channel) accepted;
        if (open.incrementAndGet() > settings.connections()) {
            LOG.log(
                    Level.WARNING,
                    "HTTP: a connection is turned away: more than " + settings.connections() + " are open");
            channel.pipeline().addLast(new Refusal());
        } else {
            channel.pipeline().addLast(FIRST_HEAD, new FirstHead());
        }
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
        ctx.fireChannelRead(accepted);
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
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            turnAway(
                    ctx, "503 Service Unavailable", "connections: more than " + settings.connections() + " are open\n");
        }
    }

    /** Of a connection of which Vert.x knows nothing yet. */
    private final class FirstHead extends ChannelInboundHandlerAdapter {
        private @Nullable Future<?> due;

        Duration most() {
            return settings.head();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object bytes) {
            if (due == null) {
                due = ctx.executor()
                        .schedule(
                                () -> turnAway(ctx, "408 Request Timeout", "head: not whole in its time\n"),
                                most().toNanos(),
                                TimeUnit.NANOSECONDS);
            }
            ctx.fireChannelRead(bytes);
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            if (due != null) {
                due.cancel(false);
            }
        }
    }
}

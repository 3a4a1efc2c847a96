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
 * Guards a listening port and sees every connection as it is accepted. It limits the number of connections, and closes
 * those whose first request head is not complete in time. Idle timeouts do not cover that: a head that trickles in byte
 * by byte is never idle.
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

    /**
     * Hands a connection over to Vert.x, which knows it once its first request is there or TLS is negotiated. From then
     * on {@link Http1Guard} watches its heads.
     */
    static void handOver(HttpConnection connection) {
        ConnectionBase base = (ConnectionBase) connection;
        ChannelPipeline pipeline = base.channel().pipeline();
        if (pipeline.get(FIRST_HEAD) instanceof FirstHead first) {
            pipeline.remove(first);
            if (Http1Guard.isHttp1(pipeline)) {
                pipeline.addBefore(base.channelHandlerContext().name(), "heads", new Http1Guard(first.timeout()));
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
        Channel channel = (Channel) accepted;
        if (open.incrementAndGet() > settings.connections()) {
            LOG.log(Level.WARNING, "HTTP: refused a connection: " + settings.connections() + " are open, the limit");
            channel.pipeline().addLast(new Refusal());
        } else {
            channel.pipeline().addLast(FIRST_HEAD, new FirstHead());
        }
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
        ctx.fireChannelRead(accepted);
    }

    /** Answers {@code status} in HTTP/1, which every client understands, and closes. */
    private void refuse(ChannelHandlerContext ctx, String status, String detail) {
        if (!clearText) {
            var unused = ctx.close(); // before TLS is negotiated there is no way to answer
            return;
        }
        String text = "HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\nContent-Length: " + detail.length()
                + "\r\nConnection: close\r\n\r\n" + detail;
        ctx.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII))
                .addListener(ChannelFutureListener.CLOSE);
    }

    /** Refuses a connection above the limit. */
    private final class Refusal extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            refuse(
                    ctx,
                    "503 Service Unavailable",
                    "too many connections (expected: <= " + settings.connections() + ")\n");
        }
    }

    /** Times the first head of a connection that Vert.x does not know yet. */
    private final class FirstHead extends ChannelInboundHandlerAdapter {
        private @Nullable Future<?> due;

        Duration timeout() {
            return settings.head();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object bytes) {
            if (due == null) {
                due = ctx.executor()
                        .schedule(
                                () -> refuse(ctx, "408 Request Timeout", "request head: timeout\n"),
                                timeout().toNanos(),
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

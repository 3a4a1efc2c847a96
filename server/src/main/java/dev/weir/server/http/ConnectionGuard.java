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
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Guards a listening port and sees every connection as it is accepted. It limits the number of connections, and closes
 * those whose first request head is not complete in time. Idle timeouts do not cover that: a head that trickles in byte
 * by byte is never idle.
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
                new ConnectionLimit("HTTP", settings.connections(), settings.connectionsPerAddress(), memory.closed());
    }

    /**
     * Hands a connection over to Vert.x, which knows it once its first request is there or TLS is negotiated. From then
     * on {@link Http1Guard} watches its heads, and {@code direct}, if there is one, takes plain requests.
     */
    static void handOver(HttpConnection connection, @Nullable DirectHandler direct, @Nullable PlainPostReader reader) {
        ConnectionBase base = (ConnectionBase) connection;
        ChannelPipeline pipeline = base.channel().pipeline();
        if (pipeline.get(FIRST_HEAD) instanceof FirstHead first) {
            pipeline.remove(first);
            Http2ConnectionHandler http2 = pipeline.get(Http2ConnectionHandler.class);
            if (http2 != null) {
                first.meter().input().upgraded();
                first.meter().http2(MeteredFlowController.on(http2.connection()));
            } else if (Http1Guard.isHttp1(pipeline)) {
                Http1Guard guard = new Http1Guard(first.timeout(), first.meter(), first::countTimeout);
                pipeline.addBefore(base.channelHandlerContext().name(), "heads", guard);
                if (direct != null && reader != null && pipeline.get(UnfinishedInput.NAME) != null) {
                    pipeline.addBefore(
                            UnfinishedInput.NAME,
                            DirectAnswers.NAME,
                            new DirectAnswers(
                                    direct, reader, first.meter(), guard, pipeline.get(IdleStateHandler.class)));
                }
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
            HttpConnectionMeter meter = new HttpConnectionMeter(
                    memory, outOfMemory, new UnfinishedInput(settings.head(), this::closeLate, this::tooManyFields));
            channel.pipeline().addLast(HttpConnectionMeter.NAME, meter);
            channel.pipeline().addLast(FIRST_HEAD, new FirstHead(meter));
        }
        ctx.fireChannelRead(accepted);
    }

    private void closeLate(ChannelHandlerContext ctx, String why) {
        countTimeout(why);
        var unused = ctx.channel().close();
    }

    private void tooManyFields(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(false);
        ChannelHandlerContext guard = ctx.pipeline().context(Http1Guard.class);
        if (guard != null && guard.handler() instanceof Http1Guard http1) {
            http1.tooManyFields(guard);
        } else {
            refuse(ctx, "431 Request Header Fields Too Large", HttpPort.tooManyFields() + "\n");
        }
    }

    private void countTimeout(String why) {
        memory.closed().add(CloseReason.HEAD_TIMEOUT, 1, "HTTP: " + why);
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
        private final String detail;

        Refusal(String detail) {
            this.detail = detail;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            refuse(ctx, "503 Service Unavailable", detail + "\n");
        }
    }

    /** Times the first head of a connection that Vert.x does not know yet. */
    private final class FirstHead extends ChannelInboundHandlerAdapter {
        private final HttpConnectionMeter meter;
        private @Nullable Future<?> due;

        FirstHead(HttpConnectionMeter meter) {
            this.meter = meter;
        }

        HttpConnectionMeter meter() {
            return meter;
        }

        void countTimeout() {
            ConnectionGuard.this.countTimeout(
                    "request head: incomplete after " + timeout().toMillis() + " ms");
        }

        Duration timeout() {
            return settings.head();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object bytes) {
            if (due == null) {
                due = ctx.executor().schedule(() -> timedOut(ctx), timeout().toNanos(), TimeUnit.NANOSECONDS);
            }
            ctx.fireChannelRead(bytes);
        }

        private void timedOut(ChannelHandlerContext ctx) {
            countTimeout();
            refuse(ctx, "408 Request Timeout", "request head: timeout\n");
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            if (due != null) {
                due.cancel(false);
            }
        }
    }
}

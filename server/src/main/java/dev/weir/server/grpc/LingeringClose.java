package dev.weir.server.grpc;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that the peer can read the last bytes. It writes them, shuts its own side, and discards what
 * the peer still sends until the peer closes too or a timeout expires.
 *
 * <p>A closed socket would answer later data with a reset, and the reset would drop what the peer has not read yet.
 */
final class LingeringClose extends ChannelInboundHandlerAdapter {
    private LingeringClose() {}

    /** Starts the close. Nothing more may be written to {@code ctx} from now on. */
    static void start(ChannelHandlerContext ctx, Duration timeout) {
        var timer = ctx.executor().schedule(() -> close(ctx), timeout.toNanos(), TimeUnit.NANOSECONDS);
        ctx.channel().closeFuture().addListener(closed -> timer.cancel(false));
        ctx.writeAndFlush(ctx.alloc().buffer(0)).addListener(out -> {
            if (!out.isSuccess() || !(ctx.channel() instanceof DuplexChannel channel)) {
                close(ctx);
                return;
            }
            SslHandler tls = ctx.pipeline().get(SslHandler.class);
            if (tls == null) {
                shut(ctx, channel);
            } else {
                tls.closeOutbound().addListener(sent -> shut(ctx, channel));
            }
        });
    }

    private static void shut(ChannelHandlerContext ctx, DuplexChannel channel) {
        channel.pipeline().addFirst(new LingeringClose());
        channel.shutdownOutput().addListener(shut -> {
            if (!shut.isSuccess()) {
                close(ctx);
            }
        });
    }

    private static void close(ChannelHandlerContext ctx) {
        var unused = ctx.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }
}

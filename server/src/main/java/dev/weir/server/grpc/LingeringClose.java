package dev.weir.server.grpc;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The end of a connection: the last word leaves, then our side is shut and what the peer still sends is thrown away, until it
 * hangs up as well. (A socket that is closed answers what comes after with a reset, and that takes with it what the peer has not
 * read yet.) A peer that neither reads nor hangs up is closed on when it has had its time.
 */
final class LingeringClose extends ChannelInboundHandlerAdapter {
    private LingeringClose() {}

    /** Nothing more may be written to {@code ctx} from now on. */
    static void say(ChannelHandlerContext ctx, Duration patience) {
        var late = ctx.executor().schedule(() -> close(ctx), patience.toNanos(), TimeUnit.NANOSECONDS);
        ctx.channel().closeFuture().addListener(closed -> late.cancel(false));
        ctx.writeAndFlush(ctx.alloc().buffer(0)).addListener(out -> {
            if (!out.isSuccess() || !(ctx.channel() instanceof DuplexChannel channel)) {
                close(ctx);
                return;
            }
            SslHandler tls = ctx.pipeline().get(SslHandler.class);
            if (tls == null) {
                shut(ctx, channel);
            } else {
                tls.closeOutbound().addListener(told -> shut(ctx, channel));
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

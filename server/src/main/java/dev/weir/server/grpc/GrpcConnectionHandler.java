package dev.weir.server.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Passes the events of a Netty channel to its {@link GrpcConnection}, which exists once the channel is active. */
final class GrpcConnectionHandler extends ChannelInboundHandlerAdapter {
    private final GrpcServerContext context;
    private @Nullable GrpcConnection connection;

    GrpcConnectionHandler(GrpcServerContext context) {
        this.context = context;
    }

    GrpcConnection connection() {
        GrpcConnection now = connection;
        if (now == null) {
            throw new IllegalStateException("the channel is not active yet");
        }
        return now;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        GrpcConnection opened = new GrpcConnection(context, ctx);
        connection = opened;
        context.observer().opened();
        opened.start();
        ctx.fireChannelActive();
    }

    /** Drains the connection; to be called on the channel's event loop. */
    void drain() {
        if (connection != null) {
            connection.drain();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            connection().read(in);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        connection().readComplete();
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent done && done.isSuccess()) {
            SslHandler tls = ctx.pipeline().get(SslHandler.class);
            if (!ApplicationProtocolNames.HTTP_2.equals(tls.applicationProtocol())) {
                connection().abandon("TLS without ALPN h2");
            }
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (connection != null) {
            connection.closed();
            context.observer().closed();
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        context.outOfMemory().look(cause);
        if (cause instanceof DecoderException && cause.getCause() instanceof SSLException tls) {
            context.observer().cutOff("TLS: " + describe(tls));
        } else if (!(cause instanceof IOException)) {
            context.observer().failed(cause);
        }
        if (connection != null) {
            connection.close();
        } else {
            var unused = ctx.close();
        }
    }

    /** Netty's message, unless it repeats the bytes that were read: a client that forgot TLS has sent its secrets. */
    private static @Nullable String describe(SSLException tls) {
        return tls instanceof NotSslRecordException ? "not a TLS record" : tls.getMessage();
    }
}

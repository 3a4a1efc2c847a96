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

/** Hands what Netty tells of a channel to its {@link GrpcConnection}, which there is once the channel is active. */
final class GrpcConnectionHandler extends ChannelInboundHandlerAdapter {
    private final GrpcServerContext lane;
    private @Nullable GrpcConnection connection;

    GrpcConnectionHandler(GrpcServerContext lane) {
        this.lane = lane;
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
        GrpcConnection opened = new GrpcConnection(lane, ctx);
        connection = opened;
        lane.observer().opened();
        opened.start();
        ctx.fireChannelActive();
    }

    /** To be called on the event loop of the channel. */
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
            connection.gone();
            lane.observer().closed();
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        lane.outOfMemory().look(cause);
        if (cause instanceof DecoderException && cause.getCause() instanceof SSLException tls) {
            lane.observer().cutOff("TLS: " + wrongWith(tls));
        } else if (!(cause instanceof IOException)) {
            lane.observer().failed(cause);
        }
        if (connection != null) {
            connection.close();
        } else {
            var unused = ctx.close();
        }
    }

    /** In Netty's words, unless these repeat all that was read: a client that forgot TLS has sent its secrets. */
    private static @Nullable String wrongWith(SSLException tls) {
        return tls instanceof NotSslRecordException ? "not a TLS record" : tls.getMessage();
    }
}

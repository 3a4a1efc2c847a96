package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.INTERNAL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.NO_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection, from its preface to its end. Everything here runs on the channel's event loop.
 *
 * <p><b>Batches.</b> The time is read once for each read, requests are decided as they are cut from it, and all their answers
 * leave together when the loop has read what there was. Decisions that come later come in batches, too: one task of the loop
 * tells a whole batch, and what it has to say to this peer leaves together when that task is over. While the peer does not take
 * its answers, nothing more is read.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Arrivals.Taker {
    private static final int FLUSH_AT = 64 << 10;

    private final Lane lane;
    private @Nullable Live live;
    private boolean closing;

    Connection(Lane lane) {
        this.lane = lane;
    }

    /** What exists once the channel does. */
    private final class Live {
        final ChannelHandlerContext ctx;
        final Output output;
        final Calls calls;
        final FrameCutter cutter;
        final Arrivals arrivals = new Arrivals(Connection.this);
        final Keeper keeper;
        final Runnable flush = Connection.this::flushNow;
        long nowMicros;
        boolean reading;
        boolean flushDue;
        boolean greeted;

        Live(ChannelHandlerContext ctx) {
            this.ctx = ctx;
            this.output = new Output(ctx);
            nowMicros = lane.time().micros();
            live = this;
            this.calls = new Calls(lane, output, Connection.this);
            this.cutter = new FrameCutter(
                    new Heads(lane.settings().bounds().headerList()),
                    calls,
                    new ControlFrames(calls, output, Connection.this),
                    Connection.this::now);
            this.keeper = new Keeper(lane.settings().times(), calls, output, Connection.this);
        }
    }

    private Live live() {
        Live now = live;
        if (now == null) {
            throw new IllegalStateException("the channel is not active yet");
        }
        return now;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        Live l = new Live(ctx);
        lane.observer().opened();
        l.keeper.start(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (!closing) {
                Live l = live();
                l.reading = true;
                l.nowMicros = lane.time().micros();
                l.keeper.heard();
                take(l, in);
                if (l.output.size() >= FLUSH_AT) {
                    l.output.flush();
                }
            }
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        Live l = live();
        l.reading = false;
        if (!closing) {
            l.calls.receive().topUp();
            l.calls.settle();
            l.output.flush();
            l.keeper.afterRead();
        }
        ctx.fireChannelReadComplete();
    }

    private void take(Live l, ByteBuf in) {
        try {
            l.arrivals.take(lane.scratch().input(in), in.readableBytes());
            if (!closing) {
                l.calls.send().checkUnsent();
            }
        } catch (Http2Exception e) {
            fail(e.error(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            failInside(e);
        }
    }

    /** Something broke that is no fault of the peer. */
    private void failInside(RuntimeException cause) {
        lane.observer().failed(cause);
        fail(INTERNAL_ERROR, "internal error");
    }

    /** Our preface waits for the peer's: to one that speaks HTTP/1 it would be noise. */
    @Override
    public void preface() {
        greet(live());
    }

    private void greet(Live l) {
        if (!l.greeted) {
            l.greeted = true;
            LaneSettings.Bounds bounds = lane.settings().bounds();
            l.output.settings(bounds.streams(), bounds.headerList());
            l.calls.receive().open();
        }
    }

    @Override
    public void http1() {
        Live l = live();
        closing = true;
        lane.observer().cutOff("HTTP/1 on the gRPC port");
        l.output.http1();
        hangUp(l);
    }

    @Override
    public int frame(byte[] in, int at, int end) throws Http2Exception {
        Live l = live();
        if (!l.keeper.isIntroduced() && FrameCutter.typeOf(in, at) != Http2FrameTypes.SETTINGS) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "the first frame must be SETTINGS");
        }
        try {
            return l.cutter.take(l.ctx, in, at, end);
        } catch (Http2Exception e) {
            if (!Http2Exception.isStreamError(e)) {
                throw e;
            }
            l.calls.reset(Http2Exception.streamId(e), e.error());
            return FrameCutter.after(in, at);
        }
    }

    @Override
    public boolean isClosing() {
        return closing;
    }

    /** The time of the read in hand, or of now outside of one. */
    @Override
    public long now() {
        Live l = live();
        return l.reading ? l.nowMicros : lane.time().micros();
    }

    /** Since when a frame or a header block has been on its way; {@link Stream#NOT_WAITING} while none is. */
    long unfinishedSince() {
        Live l = live();
        return Math.min(l.arrivals.unfinishedSince(), l.cutter.unfinishedSince());
    }

    ByteBufAllocator alloc() {
        return live().ctx.alloc();
    }

    Executor executor() {
        return live().ctx.executor();
    }

    /** What was written outside of a read leaves when the loop is done with the task in hand. */
    void flushSoon() {
        Live l = live();
        if (l.reading) {
            return;
        }
        if (l.output.size() >= FLUSH_AT) {
            l.output.flush();
        }
        if (!l.flushDue) {
            l.flushDue = true;
            l.ctx.executor().execute(l.flush);
        }
    }

    private void flushNow() {
        Live l = live();
        l.flushDue = false;
        if (closing) {
            return;
        }
        try {
            l.calls.send().checkUnsent();
        } catch (Http2Exception e) {
            fail(e.error(), String.valueOf(e.getMessage()));
            return;
        }
        l.output.flush();
        l.keeper.afterRead();
    }

    /** Does something to this connection's streams from any thread, and sends what comes of it. */
    void run(Runnable action) {
        Live l = live();
        if (!l.ctx.executor().inEventLoop()) {
            l.ctx.executor().execute(() -> run(action));
        } else if (!closing) {
            try {
                action.run();
            } catch (RuntimeException e) {
                // Whoever runs tasks keeps it to himself, and never again looks after this connection.
                failInside(e);
                return;
            }
            if (!l.reading) {
                l.calls.settle();
                l.output.flush();
                l.keeper.afterRead();
            }
        }
    }

    /** The peer's first SETTINGS are here. */
    void introduced() {
        live().keeper.introduced();
    }

    void pingAnswered(long data) {
        live().keeper.pingAnswered(data);
    }

    /** Asks the peer to go elsewhere, lets what is under way finish, and closes. */
    void drain() {
        Live l = live;
        if (l != null) {
            run(() -> {
                greet(l);
                l.keeper.drain();
            });
        }
    }

    /** Tells the peer why, and closes. */
    void fail(Http2Error error, String why) {
        Live l = live();
        if (!closing) {
            closing = true;
            if (error != NO_ERROR) {
                lane.observer().cutOff(why);
            }
            l.output.goAway(l.calls.streams().last(), error, why);
            hangUp(l);
        }
    }

    /** Closes once the last word is out. */
    private static void hangUp(Live l) {
        l.output.flush();
        l.ctx.writeAndFlush(l.ctx.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
    }

    /** Closes without a word: the peer does not listen. */
    void abandon(String why) {
        lane.observer().cutOff(why);
        closing = true;
        var unused = live().ctx.close();
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
                abandon("TLS without ALPN h2");
            }
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closing = true;
        Live l = live;
        if (l != null) {
            l.keeper.stop();
            l.calls.closeAll();
            l.output.release();
            l.cutter.close();
            lane.observer().closed();
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof DecoderException && cause.getCause() instanceof SSLException) {
            lane.observer().cutOff("TLS: " + cause.getCause().getMessage());
        } else if (!(cause instanceof IOException)) {
            lane.observer().failed(cause);
        }
        closing = true;
        var unused = ctx.close();
    }
}

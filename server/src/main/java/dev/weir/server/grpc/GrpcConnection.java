package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.INTERNAL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.NO_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import dev.weir.server.grpc.http2.FrameAssembler;
import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.http2.RequestHeadDecoder;
import dev.weir.server.memory.ConnectionMemory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * One HTTP/2 connection, from its preface to its end. Everything here runs on the channel's event loop.
 *
 * <p><b>Batches.</b> The time is read once for each read, requests are decided as they are cut from it, and all their answers
 * leave together when the loop has read what there was. Decisions that come later come in batches, too: one task of the loop
 * tells a whole batch, and what it has to say to this peer leaves together when that task is over. While the peer does not take
 * its answers, nothing more is read.
 */
final class GrpcConnection implements FrameAssembler.Taker {
    private static final int FLUSH_AT = 64 << 10;
    /** For a peer that is cut off to hear why. */
    private static final Duration TO_HEAR = Duration.ofSeconds(1);

    private final GrpcServerContext lane;
    private final ChannelHandlerContext ctx;
    private final FrameOutput output;
    private final GrpcCalls calls;
    private final FrameDecoder cutter;
    private final FrameAssembler arrivals = new FrameAssembler(this);
    private final ConnectionLifecycle keeper;
    private final Runnable flush = this::flushNow;
    private final ConnectionMemory memory;
    private long nowMicros;
    private boolean reading;
    private boolean flushDue;
    private boolean greeted;
    private boolean closing;

    GrpcConnection(GrpcServerContext lane, ChannelHandlerContext ctx) {
        this.lane = lane;
        this.ctx = ctx;
        this.output = new FrameOutput(ctx);
        this.nowMicros = lane.time().micros();
        this.calls = new GrpcCalls(lane, output, this);
        this.cutter = new FrameDecoder(
                new RequestHeadDecoder(lane.settings().bounds().headerList()),
                calls,
                new ControlFrameListener(calls, output, this),
                this::now);
        this.keeper = new ConnectionLifecycle(lane.settings().times(), calls, output, this);
        this.memory = lane.memory().open(ctx.channel().remoteAddress(), this::closeTooCostly);
    }

    /**
     * Charges for what stays when the loop goes on: frames, header blocks and requests that are not whole, and answers that the
     * peer has not taken. Whatever came whole and is answered costs a few additions here, and nothing else.
     */
    private void settleMemory() {
        ChannelOutboundBuffer outbound = ctx.channel().unsafe().outboundBuffer();
        memory.holds(arrivals.held()
                + cutter.held()
                + calls.receive().held()
                + calls.send().held()
                + (outbound == null ? 0 : outbound.totalPendingWriteBytes()));
    }

    /** The memory budget is exceeded, and this connection is among the costliest. */
    private void closeTooCostly() {
        if (ctx.executor().inEventLoop()) {
            tooCostly();
        } else {
            ctx.executor().execute(this::tooCostly);
        }
    }

    private void tooCostly() {
        lane.observer().overBudget();
        closing = true;
        keeper.stop();
        calls.closeAll(); // frees what it holds before the loop goes on to other connections
        var unused = ctx.close();
    }

    void start() {
        keeper.start(ctx);
    }

    /** Takes what has arrived; {@code in} stays the caller's. */
    void read(ByteBuf in) {
        if (!closing) {
            reading = true;
            nowMicros = lane.time().micros();
            keeper.heard();
            take(in);
            if (output.size() >= FLUSH_AT) {
                output.flush();
            }
            settleMemory();
        }
    }

    /** What there was to read is read. */
    void readComplete() {
        reading = false;
        if (!closing) {
            calls.receive().topUp();
            calls.settle();
            output.flush();
            settleMemory();
            keeper.afterRead();
        }
    }

    private void take(ByteBuf in) {
        try {
            arrivals.take(lane.scratch().input(in), in.readableBytes());
            if (!closing) {
                calls.send().checkUnsent();
            }
        } catch (Http2Exception e) {
            fail(e.error(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            failInside(e);
        }
    }

    /** Something broke that is no fault of the peer. */
    private void failInside(Throwable cause) {
        lane.observer().failed(cause);
        lane.outOfMemory().look(cause);
        fail(INTERNAL_ERROR, "internal error");
    }

    /** Our preface waits for the peer's: to one that speaks HTTP/1 it would be noise. */
    @Override
    public void preface() {
        greet();
    }

    private void greet() {
        if (!greeted) {
            greeted = true;
            GrpcServerSettings.Bounds bounds = lane.settings().bounds();
            output.settings(bounds.streams(), bounds.headerList());
            calls.receive().open();
        }
    }

    @Override
    public void http1() {
        closing = true;
        lane.observer().cutOff("HTTP/1 on the gRPC port");
        output.http1();
        hangUp(TO_HEAR);
    }

    @Override
    public int frame(byte[] in, int at, int end) throws Http2Exception {
        if (!keeper.isIntroduced() && FrameDecoder.typeOf(in, at) != Http2FrameTypes.SETTINGS) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "the first frame must be SETTINGS");
        }
        try {
            return cutter.take(ctx, in, at, end);
        } catch (Http2Exception e) {
            if (!Http2Exception.isStreamError(e)) {
                throw e;
            }
            calls.reset(Http2Exception.streamId(e), e.error());
            return FrameDecoder.after(in, at);
        }
    }

    @Override
    public boolean isClosing() {
        return closing;
    }

    /** The time of the read in hand, or of now outside of one. */
    @Override
    public long now() {
        return reading ? nowMicros : lane.time().micros();
    }

    /** Since when a frame or a header block has been on its way; {@link FrameDecoder#NOT_WAITING} while none is. */
    long unfinishedSince() {
        return Math.min(arrivals.unfinishedSince(), cutter.unfinishedSince());
    }

    Executor executor() {
        return ctx.executor();
    }

    /** What was written outside of a read leaves when the loop is done with the task in hand. */
    void flushSoon() {
        if (reading) {
            return;
        }
        if (output.size() >= FLUSH_AT) {
            output.flush();
        }
        if (!flushDue) {
            flushDue = true;
            ctx.executor().execute(flush);
        }
    }

    private void flushNow() {
        flushDue = false;
        if (closing) {
            return;
        }
        try {
            calls.send().checkUnsent();
        } catch (Http2Exception e) {
            fail(e.error(), String.valueOf(e.getMessage()));
            return;
        }
        output.flush();
        settleMemory();
        keeper.afterRead();
    }

    /** Does something to this connection's streams from any thread, and sends what comes of it. */
    void run(Runnable action) {
        if (!ctx.executor().inEventLoop()) {
            ctx.executor().execute(() -> run(action));
        } else if (!closing) {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                // Whoever runs tasks keeps it to himself, and never again looks after this connection.
                failInside(e);
                return;
            }
            if (!reading) {
                calls.settle();
                output.flush();
                settleMemory();
                keeper.afterRead();
            }
        }
    }

    /** The peer's first SETTINGS are here. */
    void introduced() {
        keeper.introduced();
    }

    void pingAnswered(long data) {
        keeper.pingAnswered(data);
    }

    /** Asks the peer to go elsewhere, lets what is under way finish, and closes. */
    void drain() {
        run(() -> {
            greet();
            keeper.drain();
        });
    }

    /** Tells the peer why, and closes. */
    void fail(Http2Error error, String why) {
        if (!closing) {
            closing = true;
            if (error != NO_ERROR) {
                lane.observer().cutOff(why);
            }
            output.goAway(calls.streams().last(), error, why);
            // Who did nothing wrong has for its last answers the time that any answer has.
            hangUp(error == NO_ERROR ? lane.settings().times().call() : TO_HEAR);
        }
    }

    /** Lets go of everything at once, and closes when the last word is out. */
    private void hangUp(Duration patience) {
        output.flush();
        keeper.stop();
        calls.closeAll();
        settleMemory();
        LingeringClose.say(ctx, patience);
    }

    /** Closes without a word: the peer does not listen. */
    void abandon(String why) {
        lane.observer().cutOff(why);
        close();
    }

    /** The channel is gone. */
    void gone() {
        closing = true;
        memory.closed();
        keeper.stop();
        calls.closeAll();
        output.release();
        cutter.close();
    }

    /** Closes the channel, which has failed. */
    void close() {
        closing = true;
        var unused = ctx.close();
    }
}

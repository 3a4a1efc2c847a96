package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.INTERNAL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.NO_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import dev.weir.server.grpc.http2.FrameAssembler;
import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.http2.RequestHeadDecoder;
import dev.weir.server.memory.ConnectionMemory;
import dev.weir.server.memory.PeerAddress;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One HTTP/2 connection, from its preface to its end. Everything here runs on the channel's event loop.
 *
 * <p><b>Batches.</b> The clock is read once per read. Requests are decided as they are decoded, and all their answers
 * are flushed together when the loop has read everything available. Late decisions arrive in batches, too: one task of
 * the loop delivers a whole batch, and the answers to this peer are flushed when that task ends.
 *
 * <p><b>Back-pressure.</b> While the peer does not read its answers, nothing more is read from it.
 */
final class GrpcConnection implements FrameAssembler.Handler {
    private static final int FLUSH_AT = 64 << 10;
    /** The time in which a peer that is cut off may read the reason. */
    private static final Duration REASON_TIMEOUT = Duration.ofSeconds(1);

    private final GrpcServerContext context;
    private final ChannelHandlerContext ctx;
    private final FrameOutput output;
    private final GrpcCalls calls;
    private final FrameDecoder decoder;
    private final FrameAssembler assembler = new FrameAssembler(this);
    private final ConnectionLifecycle lifecycle;
    private final Runnable flush = this::flushNow;
    private final ConnectionMemory memory;
    private final AtomicLong lastUnsent = new AtomicLong();
    private long nowMicros;
    private boolean reading;
    private boolean flushDue;
    private boolean prefaceSent;
    private boolean closing;

    GrpcConnection(GrpcServerContext context, ChannelHandlerContext ctx) {
        this.context = context;
        this.ctx = ctx;
        this.output = new FrameOutput(ctx);
        this.nowMicros = context.time().micros();
        this.calls = new GrpcCalls(context, output, this);
        this.decoder = new FrameDecoder(
                new RequestHeadDecoder(context.settings().bounds().headerList()),
                calls,
                new ControlFrameListener(calls, output, this),
                this::now);
        this.lifecycle = new ConnectionLifecycle(context.settings().times(), calls, output, this);
        this.memory = context.memory().open(ctx.channel().remoteAddress(), this::closeTooCostly);
    }

    /**
     * Charges the memory that stays in use after a read: incomplete frames, header blocks and requests, the table of
     * headers, and answers that the peer has not read. A request that arrives whole and is answered at once is not charged.
     */
    private void settleMemory() {
        long answers = calls.send().held() + pendingWrites();
        lastUnsent.lazySet(answers);
        memory.holds(assembler.held() + decoder.held() + calls.receive().held() + answers, decoder.heldTable());
    }

    /** The bytes of answers that waited after the last read or write; from any thread. */
    long lastUnsent() {
        return lastUnsent.get();
    }

    /** The peer's address, by which budgets are divided. */
    String address() {
        return PeerAddress.of(ctx.channel().remoteAddress());
    }

    /** The peer's address and port. */
    String peer() {
        return ctx.channel().remoteAddress() instanceof InetSocketAddress address
                ? address.getHostString() + ":" + address.getPort()
                : String.valueOf(ctx.channel().remoteAddress());
    }

    private long pendingWrites() {
        ChannelOutboundBuffer outbound = ctx.channel().unsafe().outboundBuffer();
        return outbound == null ? 0 : outbound.totalPendingWriteBytes();
    }

    /** The bytes of answers that wait: for the peer's windows, for the end of this read, and for the socket. */
    long unsent() {
        return calls.send().held() + output.size() + pendingWrites();
    }

    /** Closes this connection, from any thread, because the memory budget is exceeded and it is among the costliest. */
    private void closeTooCostly() {
        if (ctx.executor().inEventLoop()) {
            closeNow();
        } else {
            ctx.executor().execute(this::closeNow);
        }
    }

    private void closeNow() {
        context.observer().overBudget();
        closing = true;
        lifecycle.stop();
        calls.closeAll(); // frees its memory before the event loop serves other connections
        var unused = ctx.close();
    }

    void start() {
        lifecycle.start(ctx);
    }

    /** Handles the bytes that have arrived. The caller keeps ownership of {@code in}. */
    void read(ByteBuf in) {
        if (!closing) {
            reading = true;
            nowMicros = context.time().micros();
            lifecycle.heard();
            take(in);
            if (output.size() >= FLUSH_AT) {
                output.flush();
            }
            settleMemory();
        }
    }

    /** Handles the end of a batch of reads. */
    void readComplete() {
        reading = false;
        if (!closing) {
            calls.receive().topUp();
            calls.settle();
            output.flush();
            settleMemory();
            lifecycle.afterRead();
        }
    }

    private void take(ByteBuf in) {
        try {
            assembler.take(context.buffers().input(in), in.readableBytes());
            if (!closing) {
                calls.send().checkUnsent();
            }
        } catch (Http2Exception e) {
            fail(e.error(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            failInside(e);
        }
    }

    /** Closes the connection after an internal error. */
    private void failInside(Throwable cause) {
        context.observer().failed(cause);
        context.outOfMemory().look(cause);
        fail(INTERNAL_ERROR, "internal error");
    }

    /** Sends the server's preface after the peer's: a peer that speaks HTTP/1 could not read it. */
    @Override
    public void preface() {
        sendPreface();
    }

    private void sendPreface() {
        if (!prefaceSent) {
            prefaceSent = true;
            GrpcServerSettings.Bounds bounds = context.settings().bounds();
            output.settings(bounds.streams(), bounds.headerList());
            calls.receive().open();
        }
    }

    @Override
    public void http1() {
        closing = true;
        context.observer().cutOff("HTTP/1 on the gRPC port");
        output.http1();
        closeAfterFlush(REASON_TIMEOUT);
    }

    @Override
    public int frame(byte[] in, int at, int end) throws Http2Exception {
        if (!lifecycle.hasSettings() && FrameDecoder.typeOf(in, at) != Http2FrameTypes.SETTINGS) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "the first frame must be SETTINGS");
        }
        try {
            return decoder.take(ctx, in, at, end);
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

    /** The time of the current read; outside of one, the current time. */
    @Override
    public long now() {
        return reading ? nowMicros : context.time().micros();
    }

    /** The time since which a frame or a header block is incomplete; {@link FrameDecoder#NOT_WAITING} if none is. */
    long unfinishedSince() {
        return Math.min(assembler.unfinishedSince(), decoder.unfinishedSince());
    }

    Executor executor() {
        return ctx.executor();
    }

    /** Flushes what was written outside of a read, when the loop has finished the current task. */
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
        lifecycle.afterRead();
    }

    /** Runs {@code action} on the event loop, from any thread, and flushes what it writes. */
    void run(Runnable action) {
        if (!ctx.executor().inEventLoop()) {
            ctx.executor().execute(() -> run(action));
        } else if (!closing) {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                // The scheduler would swallow the exception and never run the lifecycle's tick again.
                failInside(e);
                return;
            }
            if (!reading) {
                calls.settle();
                output.flush();
                settleMemory();
                lifecycle.afterRead();
            }
        }
    }

    /** Notes that the peer's first SETTINGS have arrived. */
    void settingsReceived() {
        lifecycle.settingsReceived();
    }

    void pingAnswered(long data) {
        lifecycle.pingAnswered(data);
    }

    /** Sends GOAWAY, waits for the calls in flight, and closes. */
    void drain() {
        run(() -> {
            sendPreface();
            lifecycle.drain();
        });
    }

    /** Sends GOAWAY with the reason, and closes. */
    void fail(Http2Error error, String why) {
        if (!closing) {
            closing = true;
            if (error != NO_ERROR) {
                context.observer().cutOff(why);
            }
            output.goAway(calls.streams().last(), error, why);
            // A peer that broke no rule may take as long for its last answers as for any answer.
            closeAfterFlush(error == NO_ERROR ? context.settings().times().call() : REASON_TIMEOUT);
        }
    }

    /** Frees everything at once, and closes the channel when the last bytes are written. */
    private void closeAfterFlush(Duration timeout) {
        output.flush();
        lifecycle.stop();
        calls.closeAll();
        settleMemory();
        LingeringClose.start(ctx, timeout);
    }

    /** Closes without GOAWAY: the peer does not read. */
    void abandon(String why) {
        context.observer().cutOff(why);
        close();
    }

    /** Frees everything after the channel was closed. */
    void closed() {
        closing = true;
        memory.closed();
        lifecycle.stop();
        calls.closeAll();
        output.release();
        decoder.close();
    }

    /** Closes the channel after a failure. */
    void close() {
        closing = true;
        var unused = ctx.close();
    }
}

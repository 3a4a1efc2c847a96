package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.CANCEL;
import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;
import static io.netty.handler.codec.http2.Http2Error.NO_ERROR;
import static io.netty.handler.codec.http2.Http2Error.SETTINGS_TIMEOUT;

import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.protocol.GrpcStatus;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks after a connection once a second: is the peer there, does it keep anything waiting too long, may it be let go. */
final class ConnectionLifecycle {
    private static final long TICK_MILLIS = 1_000;
    private static final long KEEP_ALIVE_PING = 0x7765_6972_0000_0001L;
    private static final long DRAIN_PING = 0x7765_6972_0000_0002L;

    private final GrpcServerSettings.Times times;
    private final GrpcCalls calls;
    private final FrameOutput output;
    private final GrpcConnection connection;
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable Future<?> ticking;
    private final long openedNanos = System.nanoTime();
    private long heardNanos = openedNanos;
    private long calledNanos = openedNanos;
    private long blockedNanos;
    private int lastStream;
    private boolean introduced;
    private boolean asked;
    private boolean draining;
    private boolean lastWord;

    ConnectionLifecycle(
            GrpcServerSettings.Times times, GrpcCalls calls, FrameOutput output, GrpcConnection connection) {
        this.times = times;
        this.calls = calls;
        this.output = output;
        this.connection = connection;
    }

    void start(ChannelHandlerContext ctx) {
        this.ctx = ctx;
        ticking = ctx.executor()
                .scheduleWithFixedDelay(
                        () -> connection.run(this::tick), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        if (ticking != null) {
            ticking.cancel(false);
        }
    }

    void introduced() {
        introduced = true;
    }

    boolean isIntroduced() {
        return introduced;
    }

    /** The peer sent something. The reading of the clock is left to the tick. */
    void heard() {
        asked = false;
        heardNanos = 0;
    }

    void pingAnswered(long data) {
        if (data == DRAIN_PING && draining && !lastWord) {
            lastWord();
        }
    }

    void tick() {
        long now = System.nanoTime();
        calls.floods().refill();
        if (!introduced && now - openedNanos > times.preface().toNanos()) {
            connection.fail(SETTINGS_TIMEOUT, "no preface");
            return;
        }
        if (isBlocked(now)) {
            connection.abandon("answers not taken");
            return;
        }
        if (connection.now() - connection.unfinishedSince() > mostMicros()) {
            connection.fail(ENHANCE_YOUR_CALM, "a frame or a head that does not end");
            return;
        }
        expire();
        if (isSilent(now)) {
            connection.abandon("no answer to a ping");
            return;
        }
        if (isIdle(now)) {
            connection.fail(NO_ERROR, "idle");
        }
    }

    private boolean isBlocked(long now) {
        ChannelHandlerContext c = ctx;
        if (c == null || c.channel().isWritable()) {
            blockedNanos = 0;
            return false;
        }
        if (blockedNanos == 0) {
            blockedNanos = now;
        }
        return now - blockedNanos > times.call().toNanos();
    }

    private long mostMicros() {
        return times.call().toNanos() / 1_000;
    }

    /** Lets go of streams that have kept us waiting for too long. */
    private void expire() {
        long now = connection.now();
        long most = mostMicros();
        calls.streams().each(stream -> {
            if (!connection.isClosing() && now - waitingSince(stream, now) > most) {
                try {
                    calls.reset(stream.id, CANCEL);
                } catch (Http2Exception e) {
                    connection.fail(e.error(), String.valueOf(e.getMessage()));
                }
            }
        });
    }

    /**
     * Since when a stream keeps us waiting: a call since it began, to ask or to take its answer; a stream of messages, which may
     * stay, since it was first seen to have half of a message under way.
     */
    private static long waitingSince(GrpcStream stream, long now) {
        if (!stream.method.lasting()) {
            return stream.beganMicros;
        }
        if (stream.body == null && stream.unsent == null) {
            stream.waitingMicros = FrameDecoder.NOT_WAITING;
            return now;
        }
        stream.waitingMicros = Math.min(stream.waitingMicros, now);
        return stream.waitingMicros;
    }

    private boolean isSilent(long now) {
        if (heardNanos == 0) {
            heardNanos = now;
        }
        if (now - heardNanos <= times.keepAlive().toNanos()) {
            return false;
        }
        if (asked) {
            return true;
        }
        asked = true;
        heardNanos = now;
        output.ping(KEEP_ALIVE_PING, false);
        return false;
    }

    private boolean isIdle(long now) {
        int last = calls.streams().last();
        if (last != lastStream || calls.streams().size() > 0) {
            lastStream = last;
            calledNanos = now;
        }
        return now - calledNanos > times.idle().toNanos();
    }

    /**
     * RFC 9113, 6.8: first a GOAWAY that refuses nothing, and a ping; when the ping is back, the peer has seen it and opens no
     * more streams, so the last one is known and can be told.
     */
    void drain() {
        if (!draining) {
            draining = true;
            output.goAway(Integer.MAX_VALUE, NO_ERROR, "draining");
            output.ping(DRAIN_PING, false);
        }
    }

    private void lastWord() {
        lastWord = true;
        output.goAway(calls.streams().last(), NO_ERROR, "draining");
        calls.closeToNew();
        calls.streams().each(stream -> {
            if (stream.method.lasting()) {
                calls.end(stream, GrpcStatus.UNAVAILABLE, "the server is going away");
            }
        });
    }

    /** A batch has been dealt with: the connection may be done. */
    void afterRead() {
        if (lastWord && calls.streams().size() == 0) {
            connection.fail(NO_ERROR, "drained");
        }
    }
}

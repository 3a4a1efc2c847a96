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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks a connection once a second: keep-alive, timeouts, idle close and draining. */
final class ConnectionLifecycle {
    private static final long TICK_MILLIS = 1_000;
    private static final long KEEP_ALIVE_PING = 0x7765_6972_0000_0001L;
    private static final long DRAIN_PING = 0x7765_6972_0000_0002L;

    private final GrpcServerSettings.Times times;
    private final GrpcCalls calls;
    private final FrameOutput output;
    private final GrpcConnection connection;
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable Future<?> ticks;
    private final long openedNanos = System.nanoTime();
    /** The age at which the connection is drained. Random, so that connections opened together do not close together. */
    private final long ageNanos;
    /** When the connection was drained for its age; 0 if it was not. */
    private long agedNanos;

    private long heardNanos = openedNanos;
    private long calledNanos = openedNanos;
    private long blockedNanos;
    private int lastStream;
    private boolean settingsReceived;
    private boolean pinged;
    private boolean draining;
    private boolean finalGoAway;

    ConnectionLifecycle(
            GrpcServerSettings.Times times, GrpcCalls calls, FrameOutput output, GrpcConnection connection) {
        this.times = times;
        this.ageNanos =
                (long) (times.age().toNanos() * ThreadLocalRandom.current().nextDouble(0.9, 1.1));
        this.calls = calls;
        this.output = output;
        this.connection = connection;
    }

    void start(ChannelHandlerContext ctx) {
        this.ctx = ctx;
        ticks = ctx.executor()
                .scheduleWithFixedDelay(
                        () -> connection.run(this::tick), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() {
        if (ticks != null) {
            ticks.cancel(false);
        }
    }

    void settingsReceived() {
        settingsReceived = true;
    }

    boolean hasSettings() {
        return settingsReceived;
    }

    /** Notes that the peer sent something. The next tick reads the clock for it. */
    void heard() {
        pinged = false;
        heardNanos = 0;
    }

    void pingAnswered(long data) {
        if (data == DRAIN_PING && draining && !finalGoAway) {
            sendFinalGoAway();
        }
    }

    void tick() {
        long now = System.nanoTime();
        calls.floods().refill();
        if (!settingsReceived && now - openedNanos > times.preface().toNanos()) {
            connection.fail(SETTINGS_TIMEOUT, "no HTTP/2 preface in time");
            return;
        }
        if (isBlocked(now)) {
            connection.abandon("peer does not read its answers");
            return;
        }
        if (connection.now() - connection.unfinishedSince() > callTimeoutMicros()) {
            connection.fail(ENHANCE_YOUR_CALM, "a frame or header block was not completed in time");
            return;
        }
        expire();
        if (isSilent(now)) {
            connection.abandon("ping timeout");
            return;
        }
        if (isIdle(now)) {
            connection.fail(NO_ERROR, "idle");
            return;
        }
        age(now);
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

    private long callTimeoutMicros() {
        return times.call().toNanos() / 1_000;
    }

    /** Resets streams that have kept the server waiting too long. */
    private void expire() {
        long now = connection.now();
        long most = callTimeoutMicros();
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
     * The time since which a stream keeps the server waiting. For a call: since it began. For a streaming call, which
     * may stay open: since a tick first saw an incomplete message.
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
        if (pinged) {
            return true;
        }
        pinged = true;
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

    /** Drains a connection that is too old, and closes it if its peer or its calls take too long then. */
    private void age(long now) {
        if (agedNanos != 0) {
            if (now - agedNanos > times.ageGrace().toNanos()) {
                connection.fail(NO_ERROR, "too old");
            }
        } else if (ageNanos > 0 && !draining && now - openedNanos > ageNanos) {
            agedNanos = now;
            drain();
        }
    }

    /**
     * Drains as RFC 9113, 6.8 says: sends a GOAWAY that refuses nothing, and a ping. When the ping is answered, the
     * peer has seen the GOAWAY and opens no more streams, so the last stream is known and a final GOAWAY can name it.
     */
    void drain() {
        if (!draining) {
            draining = true;
            output.goAway(Integer.MAX_VALUE, NO_ERROR, "draining");
            output.ping(DRAIN_PING, false);
        }
    }

    private void sendFinalGoAway() {
        finalGoAway = true;
        output.goAway(calls.streams().last(), NO_ERROR, "draining");
        calls.closeToNew();
        calls.streams().each(stream -> {
            if (stream.method.lasting()) {
                calls.end(stream, GrpcStatus.UNAVAILABLE, "the server is closing this connection");
            }
        });
    }

    /** Closes a drained connection; to be called after each batch of frames. */
    void afterRead() {
        if (finalGoAway && calls.streams().size() == 0) {
            connection.fail(NO_ERROR, "drained");
        }
    }
}

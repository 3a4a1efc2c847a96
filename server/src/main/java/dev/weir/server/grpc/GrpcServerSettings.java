package dev.weir.server.grpc;

import dev.weir.server.rls.RequestCaps;
import dev.weir.server.rls.RlsSettings;
import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the gRPC server, and the bound on everything that a peer can send.
 *
 * @param tls supplies the TLS context, with ALPN {@code h2}, for every new connection; null for clear text
 */
public record GrpcServerSettings(
        RequestCaps caps,
        Bounds bounds,
        Times times,
        RlsSettings rls,
        @Nullable Supplier<SslContext> tls) {
    private static final int SHARES = 16;

    public static GrpcServerSettings defaults() {
        return new GrpcServerSettings(
                RequestCaps.defaults(), Bounds.defaults(), Times.defaults(), RlsSettings.defaults(), null);
    }

    public GrpcServerSettings with(Bounds bounds) {
        return new GrpcServerSettings(caps, bounds, times, rls, tls);
    }

    public GrpcServerSettings with(Times times) {
        return new GrpcServerSettings(caps, bounds, times, rls, tls);
    }

    public GrpcServerSettings with(RlsSettings rls) {
        return new GrpcServerSettings(caps, bounds, times, rls, tls);
    }

    public GrpcServerSettings with(Supplier<SslContext> tls) {
        return new GrpcServerSettings(caps, bounds, times, rls, tls);
    }

    /** The part of {@link Bounds#buffered} that one connection may use: a sixteenth, but at least two messages. */
    long shareOfBuffered() {
        return Math.max(bounds.buffered() / SHARES, 2L * caps.bytes());
    }

    /**
     * Bounds on a connection. A connection that exceeds one is closed with the reason.
     *
     * @param connections open connections; further ones are closed at once
     * @param connectionsPerAddress open connections of one peer address
     * @param streams open streams on a connection
     * @param lasting open streams without a time limit on a connection: health watches, reflection and quotas
     * @param headerList bytes of a request's headers, as HTTP/2 counts them
     * @param buffered bytes of unfinished requests over all connections; a call that arrives whole counts nothing
     * @param unsent bytes of answers that wait for a connection's flow control windows
     * @param controlFrames allowance for frames that carry no request (pings, settings, priorities, empty data)
     * @param resets allowance for streams opened in vain; 64 cancelled whole calls count as one
     */
    public record Bounds(
            int connections,
            int connectionsPerAddress,
            int streams,
            int lasting,
            int headerList,
            long buffered,
            int unsent,
            int controlFrames,
            int resets) {

        /** These bounds with other limits on connections. */
        public Bounds withConnections(int all, int ofAddress) {
            return new Bounds(all, ofAddress, streams, lasting, headerList, buffered, unsent, controlFrames, resets);
        }

        public static Bounds defaults() {
            return new Bounds(10_000, 5_000, 1_024, 16, 16_384, 64L << 20, 4 << 20, 2_000, 200);
        }
    }

    /**
     * Timeouts of a connection.
     *
     * @param preface until a new connection has sent its preface and SETTINGS
     * @param call until a request has arrived whole, and until its answer has been read
     * @param keepAlive of silence until the server sends a ping, and again until the ping must be answered
     * @param idle without a call until the server closes the connection
     * @param age of a connection until the server drains it, give or take a tenth; zero for never
     * @param ageGrace after that until the server closes it, even with calls in flight
     */
    public record Times(
            Duration preface, Duration call, Duration keepAlive, Duration idle, Duration age, Duration ageGrace) {

        /** Timeouts without a bound on the age of a connection. */
        public Times(Duration preface, Duration call, Duration keepAlive, Duration idle) {
            this(preface, call, keepAlive, idle, Duration.ZERO, Duration.ZERO);
        }

        /** These timeouts with a bound on the age of a connection. */
        public Times withAge(Duration age, Duration grace) {
            return new Times(preface, call, keepAlive, idle, age, grace);
        }

        public static Times defaults() {
            return new Times(
                    Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofMinutes(30));
        }
    }
}

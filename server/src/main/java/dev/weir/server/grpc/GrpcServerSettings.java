package dev.weir.server.grpc;

import dev.weir.server.rls.RequestCaps;
import dev.weir.server.rls.RlsSettings;
import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How the lane behaves, and the bound on everything that a peer can send.
 *
 * @param tls for a lane that speaks TLS, with ALPN {@code h2}: asked for every new connection; null for clear text
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

    /** How much of {@link Bounds#buffered} one connection may take: a fair part, and a message at least. */
    long shareOfBuffered() {
        return Math.max(bounds.buffered() / SHARES, 2L * caps.bytes());
    }

    /**
     * What a connection may ask of the server; past it the connection is closed with the reason.
     *
     * @param connections open at once; further ones are closed as they come
     * @param connectionsOfAddress those of them that may be of one peer address
     * @param streams open at once on a connection
     * @param lasting those of them that may stay open for as long as the caller likes: health watches and reflection
     * @param headerList bytes of a request's headers, as HTTP/2 counts them
     * @param buffered bytes of unfinished requests, over all connections; a call that comes whole is none
     * @param unsent bytes of answers that wait for a connection's flow control windows
     * @param controlFrames frames that carry no request (pings, settings, priorities, empty data) ahead of what calls pay for
     * @param resets streams opened in vain ahead of what finished calls pay for; of whole calls that are given up, 64 are one
     */
    public record Bounds(
            int connections,
            int connectionsOfAddress,
            int streams,
            int lasting,
            int headerList,
            long buffered,
            int unsent,
            int controlFrames,
            int resets) {

        /** These bounds with others on connections. */
        public Bounds withConnections(int all, int ofAddress) {
            return new Bounds(all, ofAddress, streams, lasting, headerList, buffered, unsent, controlFrames, resets);
        }

        public static Bounds defaults() {
            return new Bounds(10_000, 5_000, 1_024, 16, 16_384, 64L << 20, 4 << 20, 2_000, 200);
        }
    }

    /**
     * How long a connection may keep the server waiting.
     *
     * @param preface until a new connection has introduced itself
     * @param call until a request has arrived whole, and until its answer has been taken
     * @param keepAlive of silence, until the server asks whether the peer is still there; as long again for the answer
     * @param idle without a call, until the server lets the connection go
     */
    public record Times(Duration preface, Duration call, Duration keepAlive, Duration idle) {

        public static Times defaults() {
            return new Times(
                    Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofMinutes(30));
        }
    }
}

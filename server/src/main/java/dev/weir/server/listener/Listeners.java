package dev.weir.server.listener;

import dev.weir.server.grpc.GrpcServer;
import dev.weir.server.http.HttpPort;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.rest.RestApi;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import io.netty.channel.EventLoopGroup;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The three ports of a server: gRPC, HTTP and admin. */
public final class Listeners {
    private final Settings settings;
    private final PortCertificates certificates;
    private final GrpcServer lane;
    private final HttpListeners surfaces;
    private ListenAddress http;
    private ListenAddress grpc;
    private ListenAddress admin;

    public Listeners(Settings settings, PortCertificates certificates, GrpcServer lane, Vertx vertx) {
        this.settings = settings;
        this.certificates = certificates;
        this.lane = lane;
        this.surfaces = new HttpListeners(vertx);
        http = settings.http();
        grpc = settings.grpc();
        admin = settings.admin();
    }

    /**
     * Binds them.
     *
     * @param rest answers on the HTTP port, one for each event loop
     * @param adminFor answers on the admin port, whose pages name the HTTP port
     * @throws StartException if a port cannot be had
     */
    public void bind(
            EventLoopGroup group,
            Supplier<Handler<HttpServerRequest>> rest,
            IntFunction<Handler<HttpServerRequest>> adminFor)
            throws StartException {
        grpc = PortBinding.bound(
                "gRPC",
                "grpc",
                grpc,
                lane.bind(group, grpc.host(), grpc.port())
                        .thenApply(channel -> ((InetSocketAddress) channel.localAddress()).getPort()));
        http = PortBinding.bound(
                "HTTP",
                "http",
                http,
                surfaces.listen(http, RestApi.serverOptions(), certificates.http(), settings.eventLoops(), rest)
                        .map(ListenAddress::port)
                        .toCompletionStage());
        admin = PortBinding.bound(
                "admin",
                "admin",
                admin,
                surfaces.listen(admin, HttpPort.options(), certificates.admin(), 1, () -> adminFor.apply(http.port()))
                        .map(ListenAddress::port)
                        .toCompletionStage());
    }

    /** Where HTTP listens, with the port that it got. */
    public ListenAddress http() {
        return http;
    }

    /** Where gRPC listens, with the port that it got. */
    public ListenAddress grpc() {
        return grpc;
    }

    /** Where the admin port listens, with the port that it got. */
    public ListenAddress admin() {
        return admin;
    }

    /** Takes no new calls, and lets those under way finish, for {@code grace} at most. */
    public CompletableFuture<?> drain(Duration grace) {
        return CompletableFuture.allOf(
                lane.drain(grace).toCompletableFuture(),
                surfaces.shutdown(grace).toCompletionStage().toCompletableFuture());
    }
}

package dev.weir.server.listener;

import dev.weir.server.grpc.GrpcServer;
import dev.weir.server.http.HttpPort;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.rest.RestApi;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import io.vertx.core.Handler;
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
    private final GrpcServer grpcServer;
    private final EventLoops loops;
    private final HttpListeners httpServers;
    private ListenAddress http;
    private ListenAddress grpc;
    private ListenAddress admin;

    public Listeners(Settings settings, PortCertificates certificates, GrpcServer grpcServer, EventLoops loops) {
        this.settings = settings;
        this.certificates = certificates;
        this.grpcServer = grpcServer;
        this.loops = loops;
        this.httpServers = new HttpListeners(loops.vertx());
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
    public void bind(Supplier<Handler<HttpServerRequest>> rest, IntFunction<Handler<HttpServerRequest>> adminFor)
            throws StartException {
        grpc = PortBinding.bound(
                "gRPC",
                "grpc",
                grpc,
                grpcServer
                        .bind(loops.group(), grpc.host(), grpc.port())
                        .thenApply(channel -> ((InetSocketAddress) channel.localAddress()).getPort()));
        http = PortBinding.bound(
                "HTTP",
                "http",
                http,
                httpServers
                        .listen(http, RestApi.serverOptions(), certificates.http(), settings.eventLoops(), rest)
                        .map(ListenAddress::port)
                        .toCompletionStage());
        admin = PortBinding.bound(
                "admin",
                "admin",
                admin,
                httpServers
                        .listen(admin, HttpPort.options(), certificates.admin(), 1, () -> adminFor.apply(http.port()))
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
                grpcServer.drain(grace).toCompletableFuture(),
                httpServers.shutdown(grace).toCompletionStage().toCompletableFuture());
    }
}

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

/** Binds, drains and names the three ports of a server: gRPC, HTTP and admin. */
public final class Listeners {
    private final Settings settings;
    private final PortCertificates certificates;
    private final GrpcServer grpcServer;
    private final ServerEventLoops loops;
    private final HttpListeners httpServers;
    private ListenAddress http;
    private ListenAddress grpc;
    private ListenAddress admin;

    public Listeners(Settings settings, PortCertificates certificates, GrpcServer grpcServer, ServerEventLoops loops) {
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
     * Binds the three ports.
     *
     * @param rest makes the handler of the HTTP port, one for each event loop
     * @param adminFor makes the handler of the admin port, given the HTTP port, which its pages link to
     * @throws StartException if a port cannot be bound
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

    /** The address of the HTTP port, with the port number that was bound. */
    public ListenAddress http() {
        return http;
    }

    /** The address of the gRPC port, with the port number that was bound. */
    public ListenAddress grpc() {
        return grpc;
    }

    /** The address of the admin port, with the port number that was bound. */
    public ListenAddress admin() {
        return admin;
    }

    /** Refuses new calls and waits for those in flight, for at most {@code grace}. */
    public CompletableFuture<?> drain(Duration grace) {
        return CompletableFuture.allOf(
                grpcServer.drain(grace).toCompletableFuture(),
                httpServers.shutdown(grace).toCompletionStage().toCompletableFuture());
    }
}

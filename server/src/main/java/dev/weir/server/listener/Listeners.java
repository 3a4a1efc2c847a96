package dev.weir.server.listener;

import dev.weir.server.grpc.GrpcServer;
import dev.weir.server.http.HttpPort;
import dev.weir.server.http.PortHandler;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.rest.RestApi;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.settings.Settings;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Binds, drains and names the ports of a server: gRPC, HTTP, admin, and that of the reference's metrics if there is one. */
public final class Listeners {
    private final Settings settings;
    private final PortCertificates certificates;
    private final GrpcServer grpcServer;
    private final ServerEventLoops loops;
    private final HttpListeners httpServers;
    private ListenAddress http;
    private ListenAddress grpc;
    private ListenAddress admin;
    private @Nullable ListenAddress referenceMetrics;

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
     * Binds the ports.
     *
     * @param rest makes the handlers of the HTTP port, for each event loop
     * @param metricsAt makes the handler of the port of the reference's metrics, given the path of the page
     * @param adminFor makes the handler of the admin port, given the HTTP port, which its pages link to
     * @throws StartException if a port cannot be bound
     */
    public void bind(
            Supplier<PortHandler> rest,
            Function<String, Handler<HttpServerRequest>> metricsAt,
            IntFunction<Handler<HttpServerRequest>> adminFor)
            throws StartException {
        grpc = PortBinding.bound(
                "gRPC",
                "grpc_host",
                "grpc_port",
                grpc,
                grpcServer
                        .bind(loops.group(), grpc.host(), grpc.port())
                        .thenApply(channel -> ((InetSocketAddress) channel.localAddress()).getPort()));
        http = PortBinding.bound(
                "HTTP",
                "http_host",
                "http_port",
                http,
                httpServers
                        .listen(http, RestApi.serverOptions(), certificates.http(), settings.eventLoops(), rest)
                        .map(ListenAddress::port)
                        .toCompletionStage());
        admin = PortBinding.bound(
                "admin",
                "admin_host",
                "admin_port",
                admin,
                httpServers
                        .listen(
                                admin,
                                HttpPort.options(),
                                certificates.admin(),
                                1,
                                () -> PortHandler.of(adminFor.apply(http.port())))
                        .map(ListenAddress::port)
                        .toCompletionStage());
        Settings.ReferenceMetrics metrics = settings.referenceMetrics();
        if (metrics != null) {
            referenceMetrics = PortBinding.bound(
                    "metrics",
                    "reference_metrics",
                    "reference_metrics",
                    metrics.address(),
                    httpServers
                            .listen(
                                    metrics.address(),
                                    HttpPort.options(),
                                    null,
                                    1,
                                    () -> PortHandler.of(metricsAt.apply(metrics.path())))
                            .map(ListenAddress::port)
                            .toCompletionStage());
        }
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

    /** The address of the port of the reference's metrics, with the port number that was bound; null without one. */
    public @Nullable ListenAddress referenceMetrics() {
        return referenceMetrics;
    }

    /** Refuses new calls and waits for those in flight, for at most {@code grace}. */
    public CompletableFuture<?> drain(Duration grace) {
        return CompletableFuture.allOf(
                grpcServer.drain(grace).toCompletableFuture(),
                httpServers.shutdown(grace).toCompletionStage().toCompletableFuture());
    }
}

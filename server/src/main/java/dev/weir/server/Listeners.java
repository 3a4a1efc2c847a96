package dev.weir.server;

import dev.weir.server.grpc.GrpcLane;
import dev.weir.server.http.HttpPort;
import dev.weir.server.rest.RestApi;
import dev.weir.server.settings.Address;
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
final class Listeners {
    private final Settings settings;
    private final Certificates certificates;
    private final GrpcLane lane;
    private final HttpSurfaces surfaces;
    private Address http;
    private Address grpc;
    private Address admin;

    Listeners(Settings settings, Certificates certificates, GrpcLane lane, Vertx vertx) {
        this.settings = settings;
        this.certificates = certificates;
        this.lane = lane;
        this.surfaces = new HttpSurfaces(vertx);
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
    void bind(
            EventLoopGroup group,
            Supplier<Handler<HttpServerRequest>> rest,
            IntFunction<Handler<HttpServerRequest>> adminFor)
            throws StartException {
        grpc = Ports.bound(
                "gRPC",
                "grpc",
                grpc,
                lane.bind(group, grpc.host(), grpc.port())
                        .thenApply(channel -> ((InetSocketAddress) channel.localAddress()).getPort()));
        http = Ports.bound(
                "HTTP",
                "http",
                http,
                surfaces.listen(http, RestApi.serverOptions(), certificates.http(), settings.eventLoops(), rest)
                        .map(Address::port)
                        .toCompletionStage());
        admin = Ports.bound(
                "admin",
                "admin",
                admin,
                surfaces.listen(admin, HttpPort.options(), certificates.admin(), 1, () -> adminFor.apply(http.port()))
                        .map(Address::port)
                        .toCompletionStage());
    }

    /** Where HTTP listens, with the port that it got. */
    Address http() {
        return http;
    }

    /** Where gRPC listens, with the port that it got. */
    Address grpc() {
        return grpc;
    }

    /** Where the admin port listens, with the port that it got. */
    Address admin() {
        return admin;
    }

    /** Takes no new calls, and lets those under way finish, for {@code grace} at most. */
    CompletableFuture<?> drain(Duration grace) {
        return CompletableFuture.allOf(
                lane.drain(grace).toCompletableFuture(),
                surfaces.shutdown(grace).toCompletionStage().toCompletableFuture());
    }
}

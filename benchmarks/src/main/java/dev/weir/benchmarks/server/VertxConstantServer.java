package dev.weir.benchmarks.server;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.grpc.server.GrpcServer;
import java.util.HexFormat;

/** Vert.x gRPC at its fastest: every call gets the same bytes; nothing is parsed, matched or counted. */
final class VertxConstantServer extends VerticleBase {
    /**
     * OK, and one status of 4294967295 an hour with 1,000,000 left and 1,800 s to the reset: as long as Weir's
     * response.
     */
    private static final Buffer ANSWER = Buffer.buffer(HexFormat.of()
            .parseHex("0801" + "1215" + "0801" + "1208" + "08ffffffff0f" + "1003" + "18c0843d" + "220308880e"));

    private final int port;

    private VertxConstantServer(int port) {
        this.port = port;
    }

    /** Starts it with a listener on each event loop, one per core. */
    static void start(int port) throws Exception {
        int loops = Runtime.getRuntime().availableProcessors();
        Vertx vertx =
                Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(loops));
        vertx.deployVerticle(() -> new VertxConstantServer(port), new DeploymentOptions().setInstances(loops))
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }

    @Override
    public Future<?> start() {
        // At the end of the request, not at its message: an earlier response makes HTTP/2 abandon the stream.
        GrpcServer grpc = GrpcServer.server(vertx)
                .callHandler(call -> call.handler(message -> {})
                        .endHandler(end -> call.response().end(ANSWER)));
        // As many concurrent calls on a connection as Weir accepts; a fixed-rate load needs them when it falls behind.
        HttpServerOptions options =
                new HttpServerOptions().setInitialSettings(new Http2Settings().setMaxConcurrentStreams(1_024));
        return vertx.createHttpServer(options).requestHandler(grpc).listen(port, "127.0.0.1");
    }
}

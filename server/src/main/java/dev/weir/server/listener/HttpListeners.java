package dev.weir.server.listener;

import dev.weir.server.http.HttpPort;
import dev.weir.server.http.PortHandler;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.tls.ReloadableTlsIdentity;
import dev.weir.server.tls.TlsIdentity;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Binds HTTP servers, each on a given number of event loops. */
public final class HttpListeners {
    /**
     * Numbers of shared free ports. For Vert.x, a negative port is a free one that all servers with the same number
     * share; with 0, each event loop would get a port of its own. Each of our ports needs its own number.
     */
    private static final AtomicInteger FREE_PORTS = new AtomicInteger();

    private final Vertx vertx;
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

    public HttpListeners(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Listens on {@code address} from {@code loops} event loops. The result has the port number that was bound. */
    public Future<ListenAddress> listen(
            ListenAddress address,
            HttpServerOptions plain,
            @Nullable ReloadableTlsIdentity tls,
            int loops,
            Supplier<PortHandler> handlers) {
        HttpServerOptions options = tls == null ? plain : HttpTls.over(plain, tls.current());
        int port = address.port() == 0 ? FREE_PORTS.decrementAndGet() : address.port();
        List<HttpServer> instances = new CopyOnWriteArrayList<>();
        Supplier<Listener> verticles = () -> new Listener(instances, options, port, address.host(), handlers);
        return vertx.deployVerticle(verticles, new DeploymentOptions().setInstances(loops))
                .map(deployed -> {
                    servers.addAll(instances);
                    if (tls != null) {
                        // The instances share one socket, so updating one updates all.
                        tls.onChange(next -> renew(instances.get(0), next));
                    }
                    return new ListenAddress(address.host(), instances.get(0).actualPort());
                });
    }

    private static void renew(HttpServer server, TlsIdentity identity) {
        server.updateSSLOptions(HttpTls.of(identity), true)
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    /** Stops listening and waits for requests in flight, for at most {@code grace}. */
    public Future<?> shutdown(Duration grace) {
        return Future.join(servers.stream()
                .map(each -> each.shutdown(grace.toMillis(), TimeUnit.MILLISECONDS))
                .toList());
    }

    /** The instance of a server on one event loop. */
    private static final class Listener extends AbstractVerticle {
        private final List<HttpServer> servers;
        private final HttpServerOptions options;
        private final int port;
        private final String host;
        private final Supplier<PortHandler> handlers;

        Listener(
                List<HttpServer> servers,
                HttpServerOptions options,
                int port,
                String host,
                Supplier<PortHandler> handlers) {
            this.servers = servers;
            this.options = options;
            this.port = port;
            this.host = host;
            this.handlers = handlers;
        }

        @Override
        public void start(Promise<Void> started) {
            PortHandler handler = handlers.get();
            HttpServer server = vertx.createHttpServer(options)
                    .connectionHandler(HttpPort.connected(handler.direct()))
                    .invalidRequestHandler(HttpPort::unparsable)
                    .requestHandler(HttpPort.charging(handler.requests()));
            server.listen(port, host).onSuccess(servers::add).<Void>mapEmpty().onComplete(started);
        }
    }
}

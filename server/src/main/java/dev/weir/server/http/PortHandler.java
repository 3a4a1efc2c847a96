package dev.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of a port on one event loop.
 *
 * @param requests the handler of all requests
 * @param direct the handler of plain requests to the busiest path, which may leave any of them to {@code requests}; null
 *     without one
 */
public record PortHandler(
        Handler<HttpServerRequest> requests, @Nullable DirectHandler direct) {

    public static PortHandler of(Handler<HttpServerRequest> requests) {
        return new PortHandler(requests, null);
    }
}

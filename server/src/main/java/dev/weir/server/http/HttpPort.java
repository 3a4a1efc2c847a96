package dev.weir.server.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The bounds that all HTTP ports share, and their answers to requests that no handler can read. */
public final class HttpPort {
    /** The longest request line: a query value at its cap, percent-encoded, and the rest of the line. */
    private static final int MAX_LINE = 100 << 10;

    private static final int MAX_HEADERS = 16 << 10;
    private static final int IDLE_SECONDS = 30;

    private HttpPort() {}

    public static HttpServerOptions options() {
        HttpServerOptions options = new HttpServerOptions()
                .setHandle100ContinueAutomatically(true)
                .setMaxInitialLineLength(MAX_LINE)
                .setMaxHeaderSize(MAX_HEADERS)
                .setIdleTimeout(IDLE_SECONDS)
                .setIdleTimeoutUnit(TimeUnit.SECONDS);
        options.getInitialSettings().setMaxHeaderListSize(MAX_LINE + MAX_HEADERS); // in HTTP/2 the line is a header
        return options;
    }

    /**
     * Wraps {@code handler}. While the server is shutting down, it asks HTTP/1 callers to close their connection;
     * HTTP/2 has a frame for that.
     */
    public static Handler<HttpServerRequest> whileServing(BooleanSupplier serving, Handler<HttpServerRequest> handler) {
        return request -> {
            if (!serving.getAsBoolean() && request.version() != HttpVersion.HTTP_2) {
                request.response().putHeader("Connection", "close");
            }
            handler.handle(request);
        };
    }

    /** Handles a new connection; to be called for every one. */
    public static void connected(HttpConnection connection) {
        ConnectionGuard.handOver(connection);
    }

    /** Answers a request that could not be parsed, and closes, because the start of the next request is unknown. */
    public static void unparsable(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        HttpAnswer answer;
        if (cause instanceof TooLongHttpLineException) {
            answer = HttpProblems.of(414, "request line: too long (expected: <= " + MAX_LINE + " bytes)", List.of());
        } else if (cause instanceof TooLongHttpHeaderException) {
            answer = HttpProblems.of(431, "headers: too long (expected: <= " + MAX_HEADERS + " bytes)", List.of());
        } else {
            answer = HttpProblems.of(
                    HttpProblemException.badRequest("request: malformed (expected: HTTP/1.1 or HTTP/2)"));
        }
        answer.with("Connection", "close").send(request.response());
        var unused = request.connection().close();
    }

    /** Answers a request whose path or query the router could not parse. */
    public static void malformed(RoutingContext context) {
        HttpProblems.of(RequestTarget.malformed()).send(context.response());
    }

    /** The answer to a request that the router itself refused; null for any other failure. */
    public static @Nullable HttpAnswer refusedByRouter(RoutingContext context) {
        Throwable failure = context.failure();
        int status = failure instanceof HttpException e ? e.getStatusCode() : context.statusCode();
        if (status == 404) {
            return HttpProblems.of(HttpProblemException.notFound(
                    "path: " + CallerText.shown(String.valueOf(context.request().path()))
                            + " (expected: a path that begins with /)"));
        }
        if (status == 400) {
            return HttpProblems.of(
                    failure instanceof VertxException e
                            ? HttpProblemException.badRequest("request: " + e.getMessage())
                            : RequestTarget.malformed());
        }
        return null;
    }
}

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

/** What every HTTP port has in common: its bounds, and its answers to what never gets as far as a handler of ours. */
public final class HttpPort {
    /** A value of a query at its cap, every byte of it percent-encoded, and what stands around it. */
    private static final int LINE = 100 << 10;

    private static final int HEADERS = 16 << 10;
    private static final int IDLE_SECONDS = 30;

    private HttpPort() {}

    public static HttpServerOptions options() {
        HttpServerOptions options = new HttpServerOptions()
                .setHandle100ContinueAutomatically(true)
                .setMaxInitialLineLength(LINE)
                .setMaxHeaderSize(HEADERS)
                .setIdleTimeout(IDLE_SECONDS)
                .setIdleTimeoutUnit(TimeUnit.SECONDS);
        options.getInitialSettings().setMaxHeaderListSize(LINE + HEADERS); // over HTTP/2 the line is in it
        return options;
    }

    /** {@code handler}; while the server is going away, callers over HTTP/1 are told to leave. HTTP/2 has a frame for it. */
    public static Handler<HttpServerRequest> whileServing(BooleanSupplier serving, Handler<HttpServerRequest> handler) {
        return request -> {
            if (!serving.getAsBoolean() && request.version() != HttpVersion.HTTP_2) {
                request.response().putHeader("Connection", "close");
            }
            handler.handle(request);
        };
    }

    /** To be told of every connection. */
    public static void connected(HttpConnection connection) {
        ConnectionGuard.passed(connection);
    }

    /** Answers what could not be read, and closes: nobody knows where the next request would begin. */
    public static void unreadable(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        HttpAnswer answer;
        if (cause instanceof TooLongHttpLineException) {
            answer = HttpProblems.of(414, "request line: more than " + LINE + " bytes (expected: fewer)", List.of());
        } else if (cause instanceof TooLongHttpHeaderException) {
            answer = HttpProblems.of(431, "headers: more than " + HEADERS + " bytes (expected: fewer)", List.of());
        } else {
            answer = HttpProblems.of(
                    HttpProblemException.badRequest("request: malformed (expected: HTTP/1.1 or HTTP/2)"));
        }
        answer.with("Connection", "close").send(request.response());
        var unused = request.connection().close();
    }

    /** Answers where the router could read neither path nor query. */
    public static void malformed(RoutingContext context) {
        HttpProblems.of(RequestTarget.malformed()).send(context.response());
    }

    /** What the router itself turned away is told; null for any other failure. */
    public static @Nullable HttpAnswer turnedAway(RoutingContext context) {
        Throwable failure = context.failure();
        int status = failure instanceof HttpException e ? e.getStatusCode() : context.statusCode();
        if (status == 404) {
            return HttpProblems.of(HttpProblemException.notFound(
                    "path: " + CallerText.shown(String.valueOf(context.request().path()))
                            + " (expected: one that begins with /)"));
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

package dev.weir.server.http;

import dev.weir.server.memory.PeerAddress;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
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
    private static final int MAX_UNREAD = 1 << 20;

    private static final String TOO_MANY_FIELDS = "headers: too many (expected: <= " + RequestSize.MOST_FIELDS + ")";

    /** The reason for which a request with too many header fields counts as one that cannot be parsed. */
    static final class TooManyFieldsException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyFieldsException() {
            super(TOO_MANY_FIELDS, null, false, false);
        }
    }

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

    /** The address by which the peer of a request is charged, which no caller chooses; empty if it is not known. */
    public static String peer(HttpServerRequest request) {
        return request.connection() instanceof ConnectionBase base
                ? PeerAddress.of(base.channel().remoteAddress())
                : "";
    }

    /**
     * Wraps {@code handler}. Every request is charged to its connection until it has arrived whole, also if its handler
     * refuses it or does not read its body. One with a long head is charged at once: one read may hold many such heads.
     * One with too many header fields is refused: over HTTP/2 a field may take one byte.
     */
    public static Handler<HttpServerRequest> charging(Handler<HttpServerRequest> handler) {
        BodyBudget unread = new BodyBudget(MAX_UNREAD);
        return request -> {
            HttpConnectionMeter meter = HttpConnectionMeter.of(request.connection());
            if (meter != null && meter.input().hasLongHead()) {
                if (RequestSize.hasTooManyFields(request.headers())) {
                    refuse(request, HttpProblems.of(431, TOO_MANY_FIELDS, List.of()));
                    return;
                }
                int size = RequestSize.of(request);
                meter.bodies(size);
                request.end().onComplete(ended -> meter.bodies(-size));
            }
            int taken = RequestBody.taken();
            handler.handle(request);
            if (RequestBody.taken() == taken && !request.isEnded()) {
                RequestBody.discard(request, unread);
            }
        };
    }

    /** Handles a new connection; to be called for every one. */
    public static void connected(HttpConnection connection) {
        ConnectionGuard.handOver(connection, null, null);
    }

    /** Returns the handler of new connections on one event loop, whose plain requests {@code direct} answers. */
    public static Handler<HttpConnection> connected(@Nullable DirectHandler direct) {
        if (direct == null) {
            return HttpPort::connected;
        }
        PlainPostReader reader = new PlainPostReader(direct.path(), direct.longestBody());
        return connection -> ConnectionGuard.handOver(connection, direct, reader);
    }

    /** Answers a request that could not be parsed, and closes, because the start of the next request is unknown. */
    public static void unparsable(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        HttpAnswer answer;
        if (cause instanceof TooManyFieldsException) {
            answer = HttpProblems.of(431, TOO_MANY_FIELDS, List.of());
        } else if (cause instanceof TooLongHttpLineException) {
            answer = HttpProblems.of(414, "request line: too long (expected: <= " + MAX_LINE + " bytes)", List.of());
        } else if (cause instanceof TooLongHttpHeaderException) {
            answer = HttpProblems.of(431, "headers: too long (expected: <= " + MAX_HEADERS + " bytes)", List.of());
        } else {
            answer = HttpProblems.of(
                    HttpProblemException.badRequest("request: malformed (expected: HTTP/1.1 or HTTP/2)"));
        }
        refuse(request, answer);
    }

    static String tooManyFields() {
        return TOO_MANY_FIELDS;
    }

    private static void refuse(HttpServerRequest request, HttpAnswer answer) {
        if (request.version() != HttpVersion.HTTP_2) { // HTTP/2 has a frame for that, and no such header
            answer = answer.with("Connection", "close");
        }
        answer.send(request);
        HttpConnectionMeter meter = HttpConnectionMeter.of(request.connection());
        if (request.version() == HttpVersion.HTTP_2 && meter != null) {
            meter.close(); // Vert.x would wait for the open streams of HTTP/2, and keep their heads until then
        } else {
            var unused = request.connection().close();
        }
    }

    /** Answers a request whose path or query the router could not parse. */
    public static void malformed(RoutingContext context) {
        HttpProblems.of(RequestTarget.malformed()).send(context.request());
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

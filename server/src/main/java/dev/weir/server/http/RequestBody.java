package dev.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Collects a request's body up to a cap, for so long, and while there is room for what is not whole. Past one of them the caller
 * is told at once; what it still sends is thrown away, so that it reads the answer rather than a reset, until it has sent several
 * times the cap, or is late, and the connection is closed on it.
 */
public final class RequestBody {
    private static final int PATIENCE = 8;
    /** For an answer to leave, and those of other requests on the connection, before it is closed. */
    private static final long CLOSING_SECONDS = 1;
    /** About what an open request takes beside its head and its body. */
    private static final int REQUEST_COST = 4 << 10;

    private static final long NO_TIMER = -1;

    private final HttpServerRequest request;
    private final BodyBudget bodies;
    private final Handler<HttpProblemException> failed;
    private final Context context = Vertx.currentContext();
    private final long declared;
    private Buffer collected = Buffer.buffer();
    private long seen;
    private int kept;
    private long timer = NO_TIMER;
    private boolean refused;
    private boolean over;

    private RequestBody(HttpServerRequest request, BodyBudget bodies, Handler<HttpProblemException> failed) {
        this.request = request;
        this.bodies = bodies;
        this.failed = failed;
        this.declared = declared(request);
    }

    /** Hands the whole body, of whatever content type, to {@code whole}; or an error to {@code failed}. */
    public static void read(
            HttpServerRequest request, BodyBudget bodies, Handler<byte[]> whole, Handler<HttpProblemException> failed) {
        RequestBody body = new RequestBody(request, bodies, failed);
        request.handler(body::collect);
        request.exceptionHandler(gone -> body.end());
        request.endHandler(end -> {
            body.end();
            if (!body.refused) {
                whole.handle(body.collected.getBytes());
            }
        });
        String encoding = request.getHeader("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            body.refuse(HttpProblemException.unsupportedType(
                    "Content-Encoding: " + CallerText.shown(encoding) + " (expected: none)"));
        } else if (body.declared > bodies.cap()) {
            body.refuse(body.tooLarge());
        }
        // Most are whole when what there was to read is read, and need neither a clock nor room.
        body.context.runOnContext(read -> body.await());
    }

    private void await() {
        if (!over) {
            timer = context.owner().setTimer(bodies.longest().toMillis(), late -> late());
            keep(REQUEST_COST + sizeOfHead());
        }
    }

    private void collect(Buffer chunk) {
        seen += chunk.length();
        if (refused) {
            if (seen > (long) bodies.cap() * PATIENCE) {
                var unused = request.connection().close();
            }
        } else if (seen > bodies.cap()) {
            refuse(tooLarge());
        } else {
            collected.appendBuffer(chunk);
            if (seen != declared) {
                keep(chunk.length());
            }
        }
    }

    private void keep(int bytes) {
        kept += bytes;
        if (!bodies.keep(request.connection(), bytes)) {
            letGo();
            if (!refused) {
                refuse(HttpProblemException.unavailable("requests that are not whole: too many to wait for this one"));
            }
            close();
        }
    }

    private void late() {
        timer = NO_TIMER;
        if (!refused) {
            refuse(HttpProblemException.timeout(
                    "body: not whole after " + bodies.longest().toSeconds() + " s (expected: within them)"));
        }
        close();
    }

    private void refuse(HttpProblemException why) {
        refused = true;
        collected = Buffer.buffer();
        letGo();
        failed.handle(why);
    }

    private void close() {
        var unused = request.connection().shutdown(CLOSING_SECONDS, TimeUnit.SECONDS);
    }

    /** The request has come to its end, or the connection has. */
    private void end() {
        over = true;
        if (timer != NO_TIMER) {
            context.owner().cancelTimer(timer);
        }
        letGo();
    }

    private void letGo() {
        if (kept > 0) {
            bodies.letGo(request.connection(), kept);
            kept = 0;
        }
    }

    private int sizeOfHead() {
        int size = request.uri().length();
        for (Map.Entry<String, String> each : request.headers()) {
            size += each.getKey().length() + each.getValue().length();
        }
        return size;
    }

    private HttpProblemException tooLarge() {
        return HttpProblemException.tooLarge("body: more than " + bodies.cap() + " bytes (expected: at most "
                + bodies.cap() + ", the cap on a body)");
    }

    private static long declared(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        try {
            return length == null ? 0 : Long.parseLong(length);
        } catch (NumberFormatException e) {
            // The codec refuses such a request; if one comes through, its bytes are counted as they arrive.
            return 0;
        }
    }
}

package dev.weir.server.http;

import io.netty.util.concurrent.FastThreadLocal;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.TimeUnit;

/**
 * Collects the body of a request, within a cap, a timeout, and a bound on the memory of incomplete requests.
 *
 * <p>If one is exceeded, the caller gets an error at once. What it still sends is discarded, so that it can read the
 * error instead of a connection reset. The connection is closed once the caller has sent several times the cap, or has
 * timed out.
 */
public final class RequestBody {
    private static final int DISCARD_FACTOR = 8;
    /** The time in which this answer, and those to other requests on the connection, are sent before it is closed. */
    private static final long CLOSING_SECONDS = 1;

    private static final long NO_TIMER = -1;

    /** How many bodies were taken on this event loop. */
    private static final FastThreadLocal<int[]> TAKEN = new FastThreadLocal<>() {
        @Override
        protected int[] initialValue() {
            return new int[1];
        }
    };

    private final HttpServerRequest request;
    private final BodyBudget budget;
    private final Handler<HttpProblemException> failed;
    private final Context context = Vertx.currentContext();
    private final long declared;
    private Buffer collected = Buffer.buffer();
    private long seen;
    private int kept;
    private long timer = NO_TIMER;
    private boolean refused;
    private boolean over;

    private RequestBody(HttpServerRequest request, BodyBudget budget, Handler<HttpProblemException> failed) {
        this.request = request;
        this.budget = budget;
        this.failed = failed;
        this.declared = declared(request);
        TAKEN.get()[0]++;
    }

    /** Notes that a handler takes the body of the current request later. */
    public static void takenLater() {
        TAKEN.get()[0]++;
    }

    /** A count of the bodies that were read or discarded on this event loop; it wraps around. */
    static int taken() {
        return TAKEN.get()[0];
    }

    /** Passes the whole body, of any content type, to {@code whole}; or an error to {@code failed}. */
    public static void read(
            HttpServerRequest request, BodyBudget budget, Handler<byte[]> whole, Handler<HttpProblemException> failed) {
        RequestBody body = new RequestBody(request, budget, failed);
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
        } else if (body.declared > budget.cap()) {
            body.refuse(body.tooLarge());
        }
        // Most bodies are complete at the end of the current read, and need neither a timer nor a reservation.
        body.context.runOnContext(read -> body.await());
    }

    /**
     * Discards the body of a request that is answered without it, within the same bounds: a caller that sends too much,
     * or too slowly, loses its connection.
     */
    public static void discard(HttpServerRequest request, BodyBudget budget) {
        RequestBody body = new RequestBody(request, budget, refused -> {});
        body.refused = true;
        request.handler(body::collect);
        request.exceptionHandler(gone -> body.end());
        request.endHandler(end -> body.end());
        body.context.runOnContext(read -> body.await());
    }

    private void await() {
        if (!over) {
            timer = context.owner().setTimer(budget.timeout().toMillis(), fired -> timedOut());
            reserve(RequestSize.of(request));
        }
    }

    private void collect(Buffer chunk) {
        seen += chunk.length();
        if (refused) {
            if (seen > (long) budget.cap() * DISCARD_FACTOR) {
                var unused = request.connection().close();
            }
        } else if (seen > budget.cap()) {
            refuse(tooLarge());
        } else {
            collected.appendBuffer(chunk);
            if (seen != declared) {
                reserve(chunk.length());
            }
        }
    }

    private void reserve(int bytes) {
        kept += bytes;
        if (!budget.reserve(request.connection(), bytes)) {
            release();
            if (!refused) {
                refuse(HttpProblemException.unavailable("too many incomplete requests; try again"));
            }
            close();
        }
    }

    private void timedOut() {
        timer = NO_TIMER;
        if (!refused) {
            refuse(HttpProblemException.timeout(
                    "body: incomplete after " + budget.timeout().toSeconds() + " s"));
        }
        close();
    }

    private void refuse(HttpProblemException why) {
        refused = true;
        collected = Buffer.buffer();
        release();
        failed.handle(why);
    }

    private void close() {
        var unused = request.connection().shutdown(CLOSING_SECONDS, TimeUnit.SECONDS);
    }

    /** Handles the end of the request or of the connection. */
    private void end() {
        over = true;
        if (timer != NO_TIMER) {
            context.owner().cancelTimer(timer);
        }
        release();
    }

    private void release() {
        if (kept > 0) {
            budget.release(request.connection(), kept);
            kept = 0;
        }
    }

    private HttpProblemException tooLarge() {
        return HttpProblemException.tooLarge("body: too long (expected: <= " + budget.cap() + " bytes)");
    }

    private static long declared(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        try {
            return length == null ? 0 : Long.parseLong(length);
        } catch (NumberFormatException e) {
            // The codec refuses such a request. If one gets through, its bytes are counted as they arrive.
            return 0;
        }
    }
}

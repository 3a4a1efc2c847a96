package dev.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/**
 * Collects a request's body up to a cap. Past it the caller is told at once; what it still sends is thrown away, so that it
 * reads the answer rather than a reset, until it has sent several times the cap and the connection is closed on it.
 */
public final class Body {
    private static final int PATIENCE = 8;

    private final HttpServerRequest request;
    private final int cap;
    private final Buffer collected = Buffer.buffer();
    private long seen;
    private boolean refused;

    private Body(HttpServerRequest request, int cap) {
        this.request = request;
        this.cap = cap;
    }

    /** Hands the whole body, of whatever content type, to {@code whole}; or an error to {@code failed}. */
    public static void read(HttpServerRequest request, int cap, Handler<byte[]> whole, Handler<RestException> failed) {
        Body body = new Body(request, cap);
        request.handler(chunk -> body.collect(chunk, failed));
        request.endHandler(end -> {
            if (!body.refused) {
                whole.handle(body.collected.getBytes());
            }
        });
        if (declared(request) > cap) {
            body.refuse(failed);
        }
    }

    private void collect(Buffer chunk, Handler<RestException> failed) {
        seen += chunk.length();
        if (seen <= cap && !refused) {
            collected.appendBuffer(chunk);
        } else if (!refused) {
            refuse(failed);
        } else if (seen > (long) cap * PATIENCE) {
            request.connection().close();
        }
    }

    private void refuse(Handler<RestException> failed) {
        refused = true;
        failed.handle(RestException.tooLarge(
                "body: more than " + cap + " bytes (expected: at most " + cap + ", the cap on a body)"));
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

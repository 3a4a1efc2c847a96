package dev.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Collects a request's body up to a cap, and for so long. Past one of them the caller is told at once; what it still sends is
 * thrown away, so that it reads the answer rather than a reset, until it has sent several times the cap, or is late, and the
 * connection is closed on it. (Who sends nothing at all is the port's to deal with.)
 */
public final class Body {
    private static final int PATIENCE = 8;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final HttpServerRequest request;
    private final int cap;
    private final LongSupplier nanos;
    private final long began;
    private final Buffer collected = Buffer.buffer();
    private long seen;
    private boolean refused;

    private Body(HttpServerRequest request, int cap, LongSupplier nanos) {
        this.request = request;
        this.cap = cap;
        this.nanos = nanos;
        this.began = nanos.getAsLong();
    }

    /** Hands the whole body, of whatever content type, to {@code whole}; or an error to {@code failed}. */
    public static void read(HttpServerRequest request, int cap, Handler<byte[]> whole, Handler<RestException> failed) {
        read(request, cap, System::nanoTime, whole, failed);
    }

    /** The same by another clock. */
    static void read(
            HttpServerRequest request,
            int cap,
            LongSupplier nanos,
            Handler<byte[]> whole,
            Handler<RestException> failed) {
        Body body = new Body(request, cap, nanos);
        request.handler(chunk -> body.collect(chunk, failed));
        request.endHandler(end -> {
            if (!body.refused) {
                whole.handle(body.collected.getBytes());
            }
        });
        String encoding = request.getHeader("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            body.refuse(
                    failed,
                    RestException.unsupportedType("Content-Encoding: " + Texts.shown(encoding) + " (expected: none)"));
        } else if (declared(request) > cap) {
            body.refuse(failed, body.tooLarge());
        }
    }

    private void collect(Buffer chunk, Handler<RestException> failed) {
        seen += chunk.length();
        boolean late = nanos.getAsLong() - began > LONGEST.toNanos();
        if (refused) {
            if (late || seen > (long) cap * PATIENCE) {
                var unused = request.connection().close();
            }
        } else if (late) {
            refuse(
                    failed,
                    RestException.timeout(
                            "body: not whole after " + LONGEST.toSeconds() + " s (expected: within them)"));
        } else if (seen > cap) {
            refuse(failed, tooLarge());
        } else {
            collected.appendBuffer(chunk);
        }
    }

    private void refuse(Handler<RestException> failed, RestException why) {
        refused = true;
        failed.handle(why);
    }

    private RestException tooLarge() {
        return RestException.tooLarge(
                "body: more than " + cap + " bytes (expected: at most " + cap + ", the cap on a body)");
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

package dev.weir.server.http;

import io.netty.buffer.Unpooled;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.buffer.BufferInternal;
import org.jspecify.annotations.Nullable;

/**
 * Sends a large page in pieces, as fast as the peer reads it. A whole page in the socket's queue would be copied into
 * direct memory for every peer. While the page is being sent, the connection is charged for it.
 */
public final class StreamedAnswer {
    private static final int PIECE = 16 << 10;
    /** The maximum charge for a page: the largest page must fit into the limit of one connection. */
    private static final int MOST_CHARGED = 4 << 20;

    private final HttpServerResponse response;
    private final @Nullable HttpConnectionMeter meter;
    private final byte[] page;
    private final int charged;
    private int at;
    private boolean released;

    private StreamedAnswer(HttpServerRequest request, byte[] page) {
        this.response = request.response();
        this.meter = HttpConnectionMeter.of(request.connection());
        this.page = page;
        this.charged = Math.min(page.length, MOST_CHARGED);
    }

    /** Answers {@code request} with {@code page}, which must not change; on the request's event loop. */
    public static void send(HttpServerRequest request, String contentType, byte[] page) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.putHeader("Content-Type", contentType);
        response.putHeader("Content-Length", Integer.toString(page.length));
        if (request.method().equals(HttpMethod.HEAD)) {
            response.end();
            return;
        }
        new StreamedAnswer(request, page).begin();
    }

    private void begin() {
        charge(charged);
        response.closeHandler(gone -> release());
        response.exceptionHandler(failure -> release());
        response.drainHandler(drained -> pump());
        pump();
    }

    private void pump() {
        while (at < page.length && !released && !response.writeQueueFull()) {
            int length = Math.min(PIECE, page.length - at);
            response.write(BufferInternal.buffer(Unpooled.wrappedBuffer(page, at, length)));
            at += length;
        }
        if (at == page.length && !response.ended() && !released) {
            response.end().onComplete(sent -> release());
        }
    }

    private void release() {
        if (!released) {
            released = true;
            charge(-charged);
        }
    }

    private void charge(int bytes) {
        if (meter != null) {
            meter.bodies(bytes);
        }
    }
}

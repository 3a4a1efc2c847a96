package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An HTTP answer that is ready to send. */
public final class HttpAnswer {
    public static final String JSON = "application/json";
    public static final String PROBLEM = "application/problem+json";
    public static final String TEXT = "text/plain; charset=utf-8";

    /** A shorter body is no more than the objects of its request, which are charged as long as its stream is open. */
    private static final int FREE = 1 << 10;

    /** The memory of an answer's objects, and of a text without its characters. */
    private static final int OBJECTS = 128;

    private static final int TEXT_OBJECT = 56;

    private static final String STATUS_LINE = "HTTP/1.1 ";

    private final int status;
    private final String contentType;
    private final byte[] body;
    private final List<String> headers;

    /** Creates an answer with these headers, names and values in turn. */
    public HttpAnswer(int status, String contentType, byte[] body, List<String> headers) {
        this.status = status;
        this.contentType = contentType;
        this.body = body;
        this.headers = headers;
    }

    /** Returns this answer with one more header. */
    public HttpAnswer with(String name, String value) {
        List<String> more = new ArrayList<>(headers);
        more.add(name);
        more.add(value);
        return new HttpAnswer(status, contentType, body, more);
    }

    /** Returns this answer with another status. */
    public HttpAnswer withStatus(int other) {
        return new HttpAnswer(other, contentType, body, headers);
    }

    byte[] body() {
        return body;
    }

    /** About the memory of this answer. */
    public int bytes() {
        int bytes = OBJECTS + body.length;
        for (String each : headers) {
            bytes += TEXT_OBJECT + each.length();
        }
        return bytes;
    }

    /** Writes this answer as HTTP/1.1. */
    void write(ByteBuf to) {
        text(to, STATUS_LINE);
        text(to, HttpResponseStatus.valueOf(status).toString());
        field(to, "Content-Type", contentType);
        for (int i = 0; i < headers.size(); i += 2) {
            field(to, headers.get(i), headers.get(i + 1));
        }
        field(to, "content-length", Integer.toString(body.length));
        text(to, "\r\n\r\n");
        to.writeBytes(body);
    }

    private static void field(ByteBuf to, String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7F) {
                throw new IllegalArgumentException(name + ": a control character");
            }
        }
        text(to, "\r\n");
        text(to, name);
        text(to, ": ");
        text(to, value);
    }

    private static void text(ByteBuf to, String text) {
        to.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Answers {@code request}; on its event loop. */
    public void send(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        response.setStatusCode(status);
        response.putHeader("Content-Type", contentType);
        for (int i = 0; i < headers.size(); i += 2) {
            response.putHeader(headers.get(i), headers.get(i + 1));
        }
        Future<Void> sent = response.end(BufferInternal.buffer(Unpooled.wrappedBuffer(body))); // no copy
        if (body.length > FREE && request.version() == HttpVersion.HTTP_2) {
            chargeUntil(sent, HttpConnectionMeter.of(request.connection()));
        }
    }

    /** Over HTTP/1, and in the windows of HTTP/2, Netty counts what waits; Vert.x queues more before that. */
    private void chargeUntil(Future<Void> sent, @Nullable HttpConnectionMeter meter) {
        if (meter != null && !sent.isComplete()) {
            meter.bodies(body.length);
            sent.onComplete(done -> meter.bodies(-body.length));
        }
    }
}

package dev.weir.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;

/** An HTTP answer that is ready to send. */
public final class HttpAnswer {
    public static final String JSON = "application/json";
    public static final String PROBLEM = "application/problem+json";
    public static final String TEXT = "text/plain; charset=utf-8";

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

    byte[] body() {
        return body;
    }

    public void send(HttpServerResponse response) {
        response.setStatusCode(status);
        response.putHeader("Content-Type", contentType);
        for (int i = 0; i < headers.size(); i += 2) {
            response.putHeader(headers.get(i), headers.get(i + 1));
        }
        response.end(Buffer.buffer(body));
    }
}

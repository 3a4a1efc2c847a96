package dev.weir.server.http;

import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.HttpServerRequest;
import java.util.Iterator;
import java.util.Map;

/** Estimates the memory of a request that is open: its head, and the objects that serve it. */
final class RequestSize {
    private static final int REQUEST = 4 << 10;
    /** The objects of a header field beside its characters. A field of one byte on the wire takes as much. */
    static final int FIELD = 160;
    /** The most header fields of a request. Their objects outlive a connection that is closed for them by a while. */
    static final int MOST_FIELDS = 256;

    private RequestSize() {}

    static int of(HttpServerRequest request) {
        return of(request.uri(), request.headers());
    }

    static int of(HttpRequest request) {
        return of(request.uri(), request.headers());
    }

    /** Whether there are more than {@link #MOST_FIELDS}. */
    static boolean hasTooManyFields(Iterable<Map.Entry<String, String>> fields) {
        int count = 0;
        Iterator<Map.Entry<String, String>> each = fields.iterator();
        while (count <= MOST_FIELDS && each.hasNext()) {
            var unused = each.next();
            count++;
        }
        return count > MOST_FIELDS;
    }

    private static int of(String uri, Iterable<Map.Entry<String, String>> fields) {
        int size = REQUEST + uri.length();
        for (Map.Entry<String, String> each : fields) {
            size += FIELD + each.getKey().length() + each.getValue().length();
        }
        return size;
    }
}

package dev.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.http.HttpServerRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the target of a request strictly: only percent-encoded UTF-8 is allowed. Otherwise two callers whose names are
 * not valid text would both get the counters of a third one, named by the replacement character.
 */
public final class RequestTarget {
    private static final int MAX_PARAMETERS = 1_024;

    private RequestTarget() {}

    /** The query. {@code &} separates parameters and {@code ;} does not. */
    public static QueryParameters query(HttpServerRequest request) {
        require(request);
        List<Map.Entry<String, String>> parameters = new ArrayList<>();
        String encoded = request.query();
        if (encoded != null) {
            new QueryStringDecoder(encoded, UTF_8, false, MAX_PARAMETERS, true)
                    .parameters()
                    .forEach((name, values) -> values.forEach(each -> parameters.add(Map.entry(name, each))));
        }
        return new QueryParameters(parameters);
    }

    /** Refuses a target that is not percent-encoded UTF-8. */
    public static void require(HttpServerRequest request) {
        if (!isText(request.uri())) {
            throw malformed();
        }
    }

    public static HttpProblemException malformed() {
        return HttpProblemException.badRequest("path or query: malformed (expected: percent-encoded UTF-8)");
    }

    static boolean isText(String encoded) {
        byte[] bytes = new byte[encoded.length()];
        int size = 0;
        for (int i = 0; i < encoded.length(); i++) {
            int b = encoded.charAt(i);
            if (b == '%') {
                int high = i + 2 < encoded.length() ? Character.digit(encoded.charAt(i + 1), 16) : -1;
                int low = high < 0 ? -1 : Character.digit(encoded.charAt(i + 2), 16);
                if (low < 0) {
                    return false;
                }
                b = high << 4 | low;
                i += 2;
            } else if (b > '~') {
                return false;
            }
            bytes[size++] = (byte) b;
        }
        try {
            var unused = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, size));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}

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
 * What a request is sent to, read strictly: percent-encoded UTF-8 and nothing else, or two callers whose names are no text
 * would both be told of a third that is called by the replacement character.
 */
public final class RequestTarget {
    private static final int MOST_PARAMETERS = 1_024;

    private RequestTarget() {}

    /** The query, whose parameters {@code &} parts and {@code ;} does not. */
    public static QueryParameters query(HttpServerRequest request) {
        require(request);
        List<Map.Entry<String, String>> parameters = new ArrayList<>();
        String encoded = request.query();
        if (encoded != null) {
            new QueryStringDecoder(encoded, UTF_8, false, MOST_PARAMETERS, true)
                    .parameters()
                    .forEach((name, values) -> values.forEach(each -> parameters.add(Map.entry(name, each))));
        }
        return new QueryParameters(parameters);
    }

    /** Turns away what cannot be read as it was meant. */
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

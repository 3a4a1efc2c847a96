package dev.weir.server.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The request that is sent again and again.
 *
 * @param descriptors the entries of each descriptor; {@code {key}} in a value is the number of a key
 */
public record LoadRequest(String domain, List<List<Map.Entry<String, String>>> descriptors) {
    private static final String KEY = "{key}";

    /** The gRPC message of Envoy's protocol, with its prefix. */
    NumberedBytes grpc() {
        return new NumberedBytes(number -> {
            byte[] message = message(number);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(0);
            for (int shift = 24; shift >= 0; shift -= 8) {
                out.write(message.length >> shift);
            }
            out.writeBytes(message);
            return out.toByteArray();
        });
    }

    /** RateLimitRequest: domain (1), descriptors (2) of entries (1), each a key (1) and a value (2). */
    private byte[] message(String number) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        field(request, 1, domain.getBytes(StandardCharsets.UTF_8));
        for (List<Map.Entry<String, String>> entries : descriptors) {
            ByteArrayOutputStream descriptor = new ByteArrayOutputStream();
            for (Map.Entry<String, String> each : entries) {
                ByteArrayOutputStream entry = new ByteArrayOutputStream();
                field(entry, 1, each.getKey().getBytes(StandardCharsets.UTF_8));
                field(entry, 2, each.getValue().replace(KEY, number).getBytes(StandardCharsets.UTF_8));
                field(descriptor, 1, entry.toByteArray());
            }
            field(request, 2, descriptor.toByteArray());
        }
        return request.toByteArray();
    }

    private static void field(ByteArrayOutputStream to, int number, byte[] content) {
        to.write(number << 3 | 2);
        int left = content.length;
        while (left > 0x7F) {
            to.write((left & 0x7F) | 0x80);
            left >>>= 7;
        }
        to.write(left);
        to.writeBytes(content);
    }

    /** A call of {@code path} over HTTP/1.1: Weir's check, or the reference's {@code /json}. */
    NumberedBytes http(String authority, String path) {
        return new NumberedBytes(number -> {
            String body = path.equals("/json") ? json(number) : check(number);
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            String head = "POST " + path + " HTTP/1.1\r\nHost: " + authority
                    + "\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length + "\r\n\r\n";
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            out.writeBytes(bytes);
            return out.toByteArray();
        });
    }

    private String json(String number) {
        JsonArray all = new JsonArray();
        for (List<Map.Entry<String, String>> entries : descriptors) {
            JsonArray list = new JsonArray();
            entries.forEach(each -> list.add(new JsonObject()
                    .put("key", each.getKey())
                    .put("value", each.getValue().replace(KEY, number))));
            all.add(new JsonObject().put("entries", list));
        }
        return new JsonObject().put("domain", domain).put("descriptors", all).encode();
    }

    private String check(String number) {
        JsonObject json = new JsonObject().put("domain", domain);
        descriptors
                .get(0)
                .forEach(each -> json.put(each.getKey(), each.getValue().replace(KEY, number)));
        return json.encode();
    }
}

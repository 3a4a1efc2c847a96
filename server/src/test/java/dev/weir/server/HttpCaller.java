package dev.weir.server.conformance;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Plain HTTP to a server's data plane. */
final class Http {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;

    Http(RunningServer server) {
        this.base = "http://127.0.0.1:" + server.httpPort();
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return send(request(path).POST(BodyPublishers.ofString(body)));
    }

    HttpResponse<String> post(String path, byte[] body) throws IOException, InterruptedException {
        return send(request(path).POST(BodyPublishers.ofByteArray(body)));
    }

    HttpResponse<String> post(String path, String body, String header, String value)
            throws IOException, InterruptedException {
        return send(request(path).header(header, value).POST(BodyPublishers.ofString(body)));
    }

    /** Asks {@code POST /v1/ratelimit/check} with these members of the body. */
    HttpResponse<String> check(JsonObject body) throws IOException, InterruptedException {
        return post("/v1/ratelimit/check", body.encode());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(20));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofString());
    }
}

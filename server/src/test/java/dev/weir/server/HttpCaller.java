package dev.weir.server;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Plain HTTP to one port of this machine. */
public final class HttpCaller {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;

    public HttpCaller(int port) {
        this.base = "http://127.0.0.1:" + port;
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    /** Headers are names and values in turn. */
    public HttpResponse<String> post(String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path).POST(BodyPublishers.ofString(body));
        if (!List.of(headers).contains("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    public HttpResponse<String> post(String path, byte[] body) throws IOException, InterruptedException {
        return send(request(path).POST(BodyPublishers.ofByteArray(body)));
    }

    /** Headers are names and values in turn. */
    public HttpResponse<String> put(String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path).PUT(BodyPublishers.ofString(body));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    public HttpResponse<String> delete(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path).DELETE();
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    /** Asks {@code POST /v1/ratelimit/check} with these members of the body. */
    public HttpResponse<String> check(JsonObject body) throws IOException, InterruptedException {
        return post("/v1/ratelimit/check", body.encode());
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(20));
    }

    public CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    public HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofString());
    }
}

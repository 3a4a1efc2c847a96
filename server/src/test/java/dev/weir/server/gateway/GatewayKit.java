package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.RunningServer;
import dev.weir.testkit.FreePorts;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** An application, a Weir beside it, and the process of a gateway in front of both. */
final class GatewayKit implements AutoCloseable {
    static final int LIMIT = 100;
    /** Calls before the first one that is judged: a cold JVM may not answer while a gateway waits. */
    private static final int WARM_UP_CALLS = 200;
    /** Calls in flight at a time, so few that a busy machine answers most of them in time. */
    private static final int AT_ONCE = 16;
    /** More than any gateway reads, so that no request passes and then fails at the application. */
    private static final int LONGEST_HEAD = 1 << 20;

    final Path folder;
    final RunningServer weir;
    final int port = FreePorts.free();
    /** The requests that reached the application. */
    final AtomicInteger served = new AtomicInteger();

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer app;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Process> processes = new ArrayList<>();

    GatewayKit(Path folder) throws Exception {
        this.folder = folder;
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: gateway
                rules:
                  - name: address
                    match: { endpoint: "/limited*" }
                    key_by: ip
                    limit: { requests: %d, window: 24h, algorithm: token_bucket }
                  - name: busy
                    match: { endpoint: "/busy" }
                    limit: { requests: 0, window: 1h }
                    deny_as: 503
                  - name: forbidden
                    match: { endpoint: "DELETE /orders" }
                    limit: { requests: 0, window: 1h }
                    deny_as: 403
                  - name: key
                    match: { endpoint: "/keyed" }
                    key_by: api_key
                    limit: { requests: 1, window: 24h, algorithm: token_bucket }
                  - name: burst
                    match: { endpoint: "/burst" }
                    key_by: api_key
                    limit: { requests: %d, window: 24h, algorithm: token_bucket }
                """.formatted(LIMIT, LIMIT));
        weir = RunningServer.with(rules, "trusted_proxies", "127.0.0.1/32", "forward_locations", "@app");
        HttpServerOptions reading =
                new HttpServerOptions().setMaxHeaderSize(LONGEST_HEAD).setMaxInitialLineLength(LONGEST_HEAD);
        app = vertx.createHttpServer(reading)
                .requestHandler(call -> call.body().onSuccess(body -> {
                    served.incrementAndGet();
                    call.response().end(call.method() + " " + call.uri() + " " + body);
                }))
                .listen(0, "127.0.0.1")
                .await();
    }

    int appPort() {
        return app.actualPort();
    }

    /** Starts the gateway, and waits until it lets a request pass. */
    void start(ProcessBuilder command) throws Exception {
        Path log = folder.resolve("gateway.out");
        Process process = command.directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        processes.add(process);
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
            assertThat(process.isAlive()).as(() -> read(log)).isTrue();
            return get("/free").statusCode() == 200;
        });
        for (int i = 0; i < WARM_UP_CALLS; i++) {
            get("/free");
        }
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return client.send(request("GET", path, "", headers), BodyHandlers.ofString());
    }

    HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
        return client.send(request(method, path, body), BodyHandlers.ofString());
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .timeout(Duration.ofSeconds(20));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    /** Sends {@code count} requests, many at a time, and returns the answers. */
    List<HttpResponse<String>> many(int count, String path) throws InterruptedException {
        Semaphore slots = new Semaphore(AT_ONCE);
        List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            slots.acquire();
            sent.add(client.sendAsync(request("GET", path, ""), BodyHandlers.ofString())
                    .whenComplete((answer, failure) -> slots.release()));
        }
        return sent.stream().map(CompletableFuture::join).toList();
    }

    /** The head of an answer. */
    record Head(int status, String fields) {
        boolean has(String name) {
            return fields.toLowerCase(Locale.ROOT).contains("\r\n" + name.toLowerCase(Locale.ROOT) + ": ");
        }
    }

    /** Opens {@code count} connections, writes a request to each, and only then reads the answers. */
    List<Head> atOnce(int count, String path, String apiKey) throws IOException {
        byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-API-Key: " + apiKey
                        + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setSoTimeout(20_000);
                sockets.add(socket);
            }
            for (Socket each : sockets) {
                each.getOutputStream().write(request);
            }
            List<Head> heads = new ArrayList<>();
            for (Socket each : sockets) {
                String answer = new String(each.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
                int end = answer.indexOf("\r\n\r\n");
                assertThat(answer).startsWith("HTTP/1.1 ").contains("\r\n\r\n");
                heads.add(new Head(Integer.parseInt(answer.substring(9, 12)), answer.substring(0, end + 2)));
            }
            return heads;
        } finally {
            for (Socket each : sockets) {
                each.close();
            }
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        for (Process each : processes) {
            each.destroy();
            each.onExit().join();
        }
        weir.close();
        app.close().await();
        vertx.close().await();
    }
}

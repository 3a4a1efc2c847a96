package dev.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.client.internal.CallOrigin;
import dev.weir.client.internal.PacedOrigin;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Both clients against a server that refuses the first calls. */
class PacedClientsTest {
    private final AtomicInteger refusals = new AtomicInteger();
    private final Queue<String> keys = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile String retryAfter = "0";
    private HttpServer server;
    private String url;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(threads); // one call may wait while others are answered
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @AfterEach
    void stop() {
        release.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            calls.incrementAndGet();
            String path = exchange.getRequestURI().getPath();
            if (path.equals("/held")) {
                held.countDown();
                release.await();
            } else if (path.equals("/torn")) {
                exchange.sendResponseHeaders(200, 100);
                exchange.getResponseBody().write(new byte[] {1});
                return;
            }
            exchange.getRequestBody().readAllBytes();
            List<String> key = exchange.getRequestHeaders().getOrDefault("Idempotency-Key", List.of());
            keys.add(String.join(",", key));
            boolean refused = refusals.getAndDecrement() > 0;
            if (refused) {
                exchange.getResponseHeaders().add("Retry-After", retryAfter);
            }
            byte[] body = (refused ? "refused" : "welcome").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(refused ? 429 : 200, body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static HttpClient paced(Pacer pacer) {
        return PacedHttpClient.of(HttpClient.newHttpClient(), pacer);
    }

    private HttpRequest post(HttpRequest.BodyPublisher body) {
        return HttpRequest.newBuilder(URI.create(url)).POST(body).build();
    }

    @Test
    void refusedCallsAreSentAgainWithTheSameKey() throws Exception {
        refusals.set(2);
        HttpResponse<String> response =
                paced(Pacer.create()).send(post(BodyPublishers.ofString("order")), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("welcome");
        assertThat(keys).hasSize(3).allMatch(key -> key.matches("\"[0-9a-f-]{36}\""));
        assertThat(keys.stream().distinct()).hasSize(1);
    }

    @Test
    void asynchronousCallsAreSentAgainToo() {
        refusals.set(1);
        HttpResponse<String> response = paced(Pacer.create())
                .sendAsync(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                .join();
        assertThat(response.body()).isEqualTo("welcome");
        assertThat(keys).containsExactly("", "");
    }

    @Test
    void theLastRefusalReachesTheCaller() throws Exception {
        refusals.set(100);
        Pacer pacer = Pacer.builder().maxRetries(1).build();
        HttpResponse<String> response =
                paced(pacer).send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.body()).isEqualTo("refused");
        assertThat(calls).hasValue(2);
    }

    @Test
    void aBodyThatCannotBeSentAgainIsNot() throws Exception {
        refusals.set(1);
        HttpResponse<String> response = paced(Pacer.create())
                .send(
                        post(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[3]))),
                        BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(calls).hasValue(1);
    }

    @Test
    void retriesEndWithTheBudget() throws Exception {
        refusals.set(100);
        Pacer pacer = Pacer.builder().retryBudget(0, 1).build();
        HttpClient client = paced(pacer);
        HttpRequest get = HttpRequest.newBuilder(URI.create(url)).build();
        assertThat(client.send(get, BodyHandlers.ofString()).statusCode()).isEqualTo(429);
        assertThat(client.send(get, BodyHandlers.ofString()).statusCode()).isEqualTo(429);
        assertThat(calls).hasValue(3);
    }

    @Test
    void aCallWhoseTurnIsTooLateFails() throws Exception {
        refusals.set(1);
        retryAfter = "200";
        Pacer pacer = Pacer.builder().maxRetries(0).maxWait(Duration.ZERO).build();
        HttpClient client = paced(pacer);
        HttpRequest get = HttpRequest.newBuilder(URI.create(url)).build();
        assertThat(client.send(get, BodyHandlers.ofString()).statusCode()).isEqualTo(429);
        assertThatThrownBy(() -> client.send(get, BodyHandlers.ofString())).isInstanceOf(HttpTimeoutException.class);
        assertThatThrownBy(() -> client.sendAsync(get, BodyHandlers.ofString()).join())
                .hasRootCauseInstanceOf(HttpTimeoutException.class);
        OkHttpClient ok = new OkHttpClient.Builder()
                .addInterceptor(new PacingInterceptor(pacer))
                .build();
        assertThatThrownBy(
                        () -> ok.newCall(new okhttp3.Request.Builder().url(url).build())
                                .execute())
                .isInstanceOf(InterruptedIOException.class);
        assertThat(calls).as("all clients of a pacer wait").hasValue(1);
    }

    @Test
    void okHttpIsPacedAsWell() throws Exception {
        refusals.set(2);
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(new PacingInterceptor(Pacer.create()))
                .build();
        try (Response response = client.newCall(new okhttp3.Request.Builder()
                        .url(url)
                        .post(RequestBody.create(new byte[] {1}))
                        .build())
                .execute()) {
            assertThat(response.body().string()).isEqualTo("welcome");
        }
        assertThat(keys).hasSize(3);
        assertThat(keys.stream().distinct()).hasSize(1);
    }

    @Test
    void aRefusalWhoseWaitIsTooLongIsTheAnswer() throws Exception {
        retryAfter = "200"; // maxWait is 30 s
        HttpRequest get = get("");
        refusals.set(1);
        Pacer pacer = Pacer.create();
        assertThat(paced(pacer).send(get, BodyHandlers.ofString()).body()).isEqualTo("refused");
        assertThatThrownBy(() -> paced(pacer).send(get, BodyHandlers.ofString()))
                .as("a later call fails at once")
                .isInstanceOf(HttpTimeoutException.class);

        refusals.set(1);
        HttpResponse<String> later =
                paced(Pacer.create()).sendAsync(get, BodyHandlers.ofString()).join();
        assertThat(later.body()).isEqualTo("refused");

        refusals.set(1);
        OkHttpClient ok = new OkHttpClient.Builder()
                .addInterceptor(new PacingInterceptor(Pacer.create()))
                .build();
        try (Response response =
                ok.newCall(new okhttp3.Request.Builder().url(url).build()).execute()) {
            assertThat(response.code()).isEqualTo(429);
            assertThat(response.body().string()).isEqualTo("refused");
        }
        assertThat(calls).hasValue(3);
    }

    @Test
    void retriesAreNotCallsForTheBudget() throws Exception {
        refusals.set(100);
        HttpClient client = paced(Pacer.builder().retryBudget(0.5, 1).build());
        assertThat(client.send(get(""), BodyHandlers.ofString()).statusCode()).isEqualTo(429);
        assertThat(client.send(get(""), BodyHandlers.ofString()).statusCode()).isEqualTo(429);
        assertThat(calls).as("the second call has half a retry").hasValue(3);
    }

    @Test
    void aCallWhoseBodyFailsEndsOnce() throws Exception {
        Pacer pacer = Pacer.create();
        HttpClient client = paced(pacer);
        client.send(get(""), BodyHandlers.ofString());
        PacedOrigin origin = pacer.origin(url.substring(0, url.length() - 1));
        CompletableFuture<HttpResponse<String>> open = client.sendAsync(get("held"), BodyHandlers.ofString());
        held.await();
        assertThatThrownBy(() -> client.send(get("torn"), BodyHandlers.ofString()))
                .isInstanceOf(IOException.class);
        assertThat(origin.inFlight()).isEqualTo(1);
        assertThatThrownBy(() ->
                        client.sendAsync(get("torn"), BodyHandlers.ofString()).join())
                .hasRootCauseInstanceOf(IOException.class);
        assertThat(origin.inFlight()).isEqualTo(1);
        release.countDown();
        assertThat(open.join().body()).isEqualTo("welcome");
        assertThat(origin.inFlight()).isZero();
    }

    @Test
    void cancellingACallEndsItsWaitForATurn() throws Exception {
        refusals.set(1);
        retryAfter = "1";
        HttpClient client = paced(Pacer.builder().maxRetries(0).build());
        assertThat(client.send(get(""), BodyHandlers.ofString()).statusCode()).isEqualTo(429);
        CompletableFuture<HttpResponse<String>> call = client.sendAsync(get(""), BodyHandlers.ofString());
        CompletableFuture<HttpResponse<String>> other = client.sendAsync(get(""), BodyHandlers.ofString());
        CompletableFuture<String> derived = other.thenApply(HttpResponse::body);
        assertThat(call.cancel(true)).isTrue();
        assertThat(derived.cancel(true)).isTrue();
        assertThat(client.send(get(""), BodyHandlers.ofString()).statusCode())
                .as("it waited for the same time, and its turn is later")
                .isEqualTo(200);
        assertThat(calls).hasValue(2);
        assertThatThrownBy(other::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void cancellingACallInFlightEndsIt() throws Exception {
        Pacer pacer = Pacer.create();
        HttpClient client = paced(pacer);
        PacedOrigin origin = pacer.origin(url.substring(0, url.length() - 1));
        CompletableFuture<HttpResponse<String>> open = client.sendAsync(get("held"), BodyHandlers.ofString());
        held.await();
        assertThat(origin.inFlight()).isEqualTo(1);
        assertThat(open.cancel(true)).isTrue();
        await().untilAsserted(() -> assertThat(origin.inFlight()).isZero());
    }

    @Test
    void allSpellingsOfAServerAreOneOrigin() throws Exception {
        assertThat(CallOrigin.of("HTTPS", "API.example.com", 443))
                .isEqualTo(CallOrigin.of("https", "api.example.com", -1))
                .isEqualTo("https://api.example.com");
        assertThat(CallOrigin.of("http", "::1", 8080))
                .isEqualTo(CallOrigin.of("http", "[::1]", 8080))
                .isEqualTo("http://[::1]:8080");
        Pacer pacer = Pacer.create();
        HttpRequest named =
                HttpRequest.newBuilder(URI.create(url.replace("//", "//user@"))).build();
        refusals.set(1);
        retryAfter = "200";
        assertThat(paced(pacer).send(named, BodyHandlers.ofString()).statusCode())
                .isEqualTo(429);
        assertThatThrownBy(() -> paced(pacer).send(get(""), BodyHandlers.ofString()))
                .isInstanceOf(HttpTimeoutException.class);
    }

    private HttpRequest get(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).build();
    }
}

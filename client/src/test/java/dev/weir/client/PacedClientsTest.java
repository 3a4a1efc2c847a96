package dev.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
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
import java.util.concurrent.ConcurrentLinkedQueue;
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
    private volatile String retryAfter = "0";
    private HttpServer server;
    private String url;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            calls.incrementAndGet();
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
}

package dev.weir.jaxrs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Request;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.rules.Rules;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter on a real implementation of JAX-RS. */
abstract class JaxrsContract {
    private static final String RULES = """
            domain: shop
            rules:
              - name: in-flight
                limit: { requests: 1, algorithm: concurrency }
              - name: orders
                match: { route: "/calls/orders/{id}" }
                key_by: api_key
                limit: { requests: 2, window: 1h, algorithm: fixed_window }
              - name: posts
                match: { endpoint: "POST /calls/nothing" }
                key_by: ip
                limit: { requests: 3, window: 1h, algorithm: fixed_window }
            """;

    private final Weir weir = Weir.open(Rules.yaml(RULES));
    private final ExecutorService later = Executors.newSingleThreadExecutor();
    private final CallsResource resource = new CallsResource(this::free, later);
    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    /** Knows the address of its peer. */
    static final class AddressedFilter extends WeirJaxrsFilter {
        AddressedFilter(HttpLimiter limiter) {
            super(limiter);
        }

        @Override
        protected String peer(ContainerRequestContext request) {
            return "127.0.0.1";
        }
    }

    /** Starts a server on a free port of this machine. */
    abstract int start(WeirJaxrsFilter filter, CallsResource resource) throws Exception;

    abstract void stop();

    @BeforeEach
    void open() throws Exception {
        port = start(new AddressedFilter(HttpLimiter.builder(weir).build()), resource);
    }

    @AfterEach
    void close() {
        stop();
        later.shutdownNow();
        weir.close();
    }

    private long free() {
        Verdict binding = weir.decide(
                        Request.to("shop").with("endpoint", "GET /other").takeNothing())
                .binding();
        return Objects.requireNonNull(binding).remaining();
    }

    private HttpResponse<String> call(String method, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
        await().atMost(Duration.ofSeconds(20)).until(() -> free() == 1);
        return response;
    }

    @Test
    void callsThatPassHaveTheHeaders() throws Exception {
        HttpResponse<String> response = call("GET", "/calls/orders/17", "X-API-Key", "mine");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("17");
        assertThat(response.headers().firstValue("RateLimit-Policy").orElseThrow())
                .contains("\"orders\";q=2;w=3600", "\"in-flight\";q=1;qu=\"concurrent-requests\"");
    }

    @Test
    void deniesByRouteWithAProblem() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(call("GET", "/calls/orders/" + i, "X-API-Key", "a").statusCode())
                    .isEqualTo(200);
        }
        HttpResponse<String> denied = call("GET", "/calls/orders/17", "X-API-Key", "a");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(denied.headers().firstValueAsLong("Retry-After")).isPresent();
        assertThat(denied.body()).contains("\"rule\":\"orders\"");
        assertThat(call("GET", "/calls/orders/17", "X-API-Key", "b").statusCode())
                .isEqualTo(200);
    }

    @Test
    void aLimitIsNotEvadedByOtherSpellings() throws Exception {
        List<String> spellings = List.of(
                "/calls/nothing",
                "/calls/nothing;a=b",
                "/calls;a=b/nothing",
                "/calls/nothing?a=b",
                "/calls/nothing/",
                "//calls/nothing",
                "/calls//nothing",
                "/calls/./nothing",
                "/x/../calls/nothing",
                "/calls/%6Eothing",
                "/calls/nothin%67");
        int served = 0;
        for (String each : spellings) {
            int status = call("POST", each).statusCode();
            assertThat(status).as(each).isIn(204, 404, 429);
            served += status == 204 ? 1 : 0;
        }
        assertThat(served).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /calls/returns",
                "POST /calls/nothing",
                "HEAD /calls/head",
                "HEAD /calls/returns",
                "GET /calls/not-modified",
                "GET /calls/throws",
                "GET /calls/refuses",
                "GET /calls/streams",
                "GET /calls/streams-and-throws",
                "GET /calls/cannot-be-written",
                "GET /calls/later",
                "GET /calls/throws-later",
                "GET /calls/times-out",
                "GET /calls/unknown",
                "PUT /calls/returns"
            })
    void permitsAreHeldUntilTheResponseIsWritten(String call) throws Exception {
        int space = call.indexOf(' ');
        try {
            assertThat(call(call.substring(0, space), call.substring(space + 1)).statusCode())
                    .isNotEqualTo(429);
        } catch (IOException e) {
            // A server may cut the connection of a response that it could not write.
            assertThat(call).containsAnyOf("throws", "cannot-be-written");
            await(call).atMost(Duration.ofSeconds(20)).until(() -> free() == 1);
        }
        assertThat(resource.early)
                .as("calls that ran on after their permit was gone")
                .isZero();
    }
}

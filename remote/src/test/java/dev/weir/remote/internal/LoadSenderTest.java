package dev.weir.remote.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadSenderTest {
    private final List<String> received = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile int status = 202;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            received.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization") + " " + body);
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void report(String service, String reporter, @Nullable String token, DoubleSupplier utilisation) {
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        try (LoadSender sender = new LoadSender(
                LoadSender.target(address, service), reporter, () -> token, HttpClient.newHttpClient(), utilisation)) {
            sender.report().join();
        }
    }

    @Test
    void aReportSaysWhoIsHowLoaded() {
        report("payments", "a", null, () -> 0.75);
        report("card payments/eu", "say \"b\"", "weir_secret", () -> 7);
        report("payments", "a", null, () -> -0.5);
        assertThat(received)
                .containsExactly(
                        "POST /v1/load/payments null {\"utilisation\": 0.75, \"reporter\": \"a\"}",
                        "POST /v1/load/card%20payments%2Feu Bearer weir_secret"
                                + " {\"utilisation\": 1.0, \"reporter\": \"say \\u0022b\\u0022\"}",
                        "POST /v1/load/payments null {\"utilisation\": 0.0, \"reporter\": \"a\"}");
    }

    @Test
    void anUnknownLoadIsNotReported() {
        report("payments", "a", null, () -> Double.NaN);
        report("payments", "a", null, () -> {
            throw new IllegalStateException("no pool yet");
        });
        assertThat(received).isEmpty();
    }

    @Test
    void aReportThatFailsThrowsNothing() {
        status = 404;
        report("payments", "a", null, () -> 0.5);
        server.stop(0);
        report("payments", "a", null, () -> 0.5);
        assertThat(received).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "weir:8080",
                "grpc://weir:8081",
                "http://",
                "http://weir:8080?a=b",
                "http://u:p@weir:8080",
                "http://a b"
            })
    void anotherAddressIsRefused(String server) {
        assertThatThrownBy(() -> LoadSender.target(server, "payments"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("server: " + server + " (expected: http://host:port or https://host:port)");
    }

    @Test
    void aServiceHasAName() {
        assertThatThrownBy(() -> LoadSender.target("http://weir:8080", " ")).hasMessageContaining("service: ");
        assertThat(LoadSender.target("https://weir/prefix/", "p")).hasToString("https://weir/prefix/v1/load/p");
    }
}

package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BodyTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger begun = new AtomicInteger();

    @Test
    void a_body_that_trickles_in_is_408_and_then_cut_off() throws Exception {
        Vertx vertx = Vertx.vertx();
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> {
                    Body.read(
                            request,
                            1_000,
                            nanos::get,
                            body -> request.response().end(new String(body, StandardCharsets.US_ASCII)),
                            e -> Problems.of(e).send(request.response()));
                    begun.incrementAndGet();
                })
                .listen(0, "127.0.0.1")
                .await();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
            socket.setSoTimeout(20_000);
            send(socket, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n");
            await().until(() -> begun.get() == 1);
            nanos.set(Duration.ofSeconds(31).toNanos());
            send(socket, "x");
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 408");
            send(socket, "x");
            untilItIsCut(socket.getInputStream());
        } finally {
            server.close().await();
            vertx.close().await();
        }
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Fails by the socket's time-out where it is not. */
    private static void untilItIsCut(InputStream in) throws IOException {
        try {
            in.readAllBytes();
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }
}

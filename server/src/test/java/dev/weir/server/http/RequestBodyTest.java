package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private static final int CAP = 10_000;
    private static final int MOST = 30_000;
    /** With what else an open request costs, three of these fit. */
    private static final String PART = "x".repeat(5_000);

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void aBodyThatIsIncompleteAtItsTimeoutIs408AndThenCutOff() throws Exception {
        HttpServer server = serve(new BodyBudget(CAP, MOST, Duration.ofMillis(300)));
        try (Socket socket = connect(server)) {
            send(socket, 100, "x");
            assertThat(allOf(socket)).startsWith("HTTP/1.1 408").contains("body: incomplete");
        }
    }

    @Test
    void incompleteBodiesAreBoundedAndACompleteOneIsStillAnswered() throws Exception {
        BodyBudget bodies = new BodyBudget(CAP, MOST, Duration.ofDays(1));
        HttpServer server = serve(bodies);
        try (Socket first = connect(server);
                Socket second = connect(server);
                Socket third = connect(server)) {
            for (Socket each : new Socket[] {first, second, third}) {
                send(each, CAP, PART);
            }
            await().until(() -> bodies.kept() > 3 * PART.length() + 3 * 4_096);
            try (Socket late = connect(server);
                    Socket whole = connect(server)) {
                send(late, CAP, PART);
                assertThat(allOf(late)).startsWith("HTTP/1.1 503").contains("too many incomplete requests");
                send(whole, 5, "hello");
                assertThat(new String(whole.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                        .isEqualTo("HTTP/1.1 200");
            }
            send(first, PART);
            assertThat(new String(first.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 200");
        }
        await().until(() -> bodies.kept() == 0);
    }

    @Test
    void oneConnectionGetsAShareOfIt() {
        BodyBudget bodies = new BodyBudget(CAP, 1 << 20, Duration.ofDays(1));
        HttpServer server = serve(bodies);
        HttpClient client = vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
        Queue<Integer> answers = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 20; i++) {
            client.request(HttpMethod.POST, server.actualPort(), "127.0.0.1", "/")
                    .onSuccess(request -> {
                        request.response().onSuccess(answer -> answers.add(answer.statusCode()));
                        var unused = request.setChunked(true).write(PART);
                    });
        }
        await().until(() -> answers.contains(503));
        assertThat(bodies.kept()).isLessThan((1 << 20) / 10);
        client.close().await();
        await().until(() -> bodies.kept() == 0);
    }

    private HttpServer serve(BodyBudget bodies) {
        return vertx.createHttpServer()
                .requestHandler(request -> RequestBody.read(
                        request,
                        bodies,
                        body -> request.response().end("read " + body.length),
                        failure -> HttpProblems.of(failure).send(request)))
                .listen(0, "127.0.0.1")
                .await();
    }

    private static Socket connect(HttpServer server) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void send(Socket socket, int length, String body) throws IOException {
        send(socket, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n" + body);
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The bytes until the server closes the connection; fails by the socket's timeout if it does not. */
    private static String allOf(Socket socket) throws IOException {
        StringBuilder all = new StringBuilder();
        try {
            for (int next = socket.getInputStream().read();
                    next >= 0;
                    next = socket.getInputStream().read()) {
                all.append((char) next);
            }
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
        return all.toString();
    }
}

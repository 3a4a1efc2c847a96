package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The connections that a port accepts, over real sockets. */
class ConnectionGuardTest {
    private static final Duration HEAD = Duration.ofMillis(400);
    private static final String ASK = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";

    private final Vertx vertx = Vertx.builder()
            .withTransport(GuardedTransport.of(
                    new ConnectionGuardSettings(2, 2, HEAD), new MemoryBudget(MemoryLimits.ofThisProcess())))
            .build();
    private final HttpServer server = vertx.createHttpServer(HttpPort.options())
            .connectionHandler(HttpPort::connected)
            .invalidRequestHandler(HttpPort::unparsable)
            .requestHandler(HttpPort.charging(request -> RequestBody.read(
                    request,
                    new BodyBudget(100),
                    body -> request.response().end("read " + body.length),
                    failure -> HttpProblems.of(failure).send(request))))
            .listen(0, "127.0.0.1")
            .await();

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void aFirstHeadThatTricklesInIsLetGoThoughItIsNeverIdle() throws Exception {
        try (Peer peer = new Peer()) {
            assertThat(peer.trickle()).startsWith("HTTP/1.1 408 ").contains("Connection: close");
        }
    }

    @Test
    void soIsEveryOtherOne() throws Exception {
        try (Peer peer = new Peer()) {
            assertThat(peer.ask()).contains("read 2");
            assertThat(peer.trickle()).startsWith("HTTP/1.1 408 ").contains("application/problem+json");
        }
    }

    @Test
    void whoHasAskedMayStaySilentAndABodyHasATimeOfItsOwn() throws Exception {
        try (Peer peer = new Peer()) {
            assertThat(peer.ask()).contains("read 2");
            peer.staysOpen();
            assertThat(peer.ask()).contains("read 2");
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh");
            peer.staysOpen();
            peer.send("i");
            assertThat(peer.read()).contains("read 2");
        }
    }

    @Test
    void http2InClearTextIsNoneOfItsBusiness() throws Exception {
        try (Peer peer = new Peer()) {
            peer.out(ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf()));
            peer.out(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            assertThat(peer.read()).as("settings").isNotEmpty();
            peer.staysOpen();
            peer.out(new byte[] {0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
            assertThat(peer.read()).as("a ping's answer").contains("\1\2\3\4\5\6\7\10");
        }
    }

    @Test
    void aHeadOverHttp2ThatTricklesInIsLetGoThoughItIsNeverIdle() throws Exception {
        try (Peer peer = new Peer()) {
            peer.out(ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf()));
            peer.out(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            assertThat(peer.read()).as("settings").isNotEmpty();
            peer.out(new byte[] {0, 1, 0, 1, 4, 0, 0, 0, 1});
            await().until(() -> {
                try {
                    peer.out(new byte[] {0});
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }

    @Test
    void twoHostHeadersAreRefused() throws Exception {
        try (Peer peer = new Peer()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 0\r\n\r\n");
            assertThat(peer.read()).startsWith("HTTP/1.1 400 ");
        }
        try (Peer peer = new Peer()) {
            assertThat(peer.ask()).contains("read 2");
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nhost: a\r\nContent-Length: 0\r\n\r\n");
            assertThat(peer.read()).startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void aHeadMayHaveManyFieldsAndNotThousands() throws Exception {
        try (Peer peer = new Peer()) {
            peer.send(head(254) + "\r\nhi"); // with Host and Content-Length
            assertThat(peer.read()).contains("read 2");
            peer.send(head(3_000) + "\r\nhi");
            assertThat(peer.read())
                    .startsWith("HTTP/1.1 431 ")
                    .contains("headers: too many (expected: <= 256)")
                    .contains("application/problem+json");
            assertThat(peer.isClosed()).isTrue();
        }
    }

    @Test
    void soIsAHeadThatIsNotCompleteTheFirstOne() throws Exception {
        try (Peer peer = new Peer()) {
            peer.send(head(3_000));
            assertThat(peer.read()).startsWith("HTTP/1.1 431 ").contains("headers: too many (expected: <= 256)");
            assertThat(peer.isClosed()).isTrue();
        }
    }

    @Test
    void andOneThatCameWithTheEndOfAnother() throws Exception {
        try (Peer peer = new Peer()) {
            peer.send(ASK + head(3_000));
            assertThat(peer.read()).contains("read 2");
            assertThat(peer.isClosed()).isTrue();
        }
    }

    @Test
    void aHeadThatCameWithTheEndOfAnotherHasATimeToo() throws Exception {
        try (Peer peer = new Peer()) {
            peer.send(ASK + head(10));
            assertThat(peer.read()).contains("read 2");
            assertThat(peer.read()).startsWith("HTTP/1.1 408 ");
        }
    }

    @Test
    void fieldsOverHttp2AreCountedToo() {
        HttpClient client = vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
        assertThat(statusWithFields(client, 250)).isEqualTo(200);
        assertThat(statusWithFields(client, 1_000)).isEqualTo(431);
    }

    private int statusWithFields(HttpClient client, int count) {
        return client.request(HttpMethod.POST, server.actualPort(), "127.0.0.1", "/")
                .compose(request -> {
                    for (int i = 0; i < count; i++) {
                        request.headers().add("a", "b");
                    }
                    return request.send("hi");
                })
                .map(HttpClientResponse::statusCode)
                .await();
    }

    /** A head with so many fields, and two more, that lacks its last line. */
    private static String head(int fields) {
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n" + "a:\r\n".repeat(fields);
    }

    @Test
    void aHeadOverHttp2MayBeAsLongAsOverHttp1() {
        HttpClient client = vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
        String uri = "/?long=" + "x".repeat(90_000);
        assertThat(client.request(HttpMethod.POST, server.actualPort(), "127.0.0.1", uri)
                        .compose(request -> request.send("hi"))
                        .map(HttpClientResponse::statusCode)
                        .await())
                .isEqualTo(200);
    }

    @Test
    void oneConnectionTooManyIsToldSoAndWhenOneHasGoneAnotherMayCome() throws Exception {
        Peer first = new Peer();
        try (Peer second = new Peer();
                Peer third = new Peer()) {
            assertThat(first.ask()).contains("read 2");
            assertThat(second.ask()).contains("read 2");
            assertThat(third.read())
                    .startsWith("HTTP/1.1 503 ")
                    .contains("too many connections from 127.0.0.1 (expected: <= 2)");
            assertThat(third.isClosed()).isTrue();
            first.close();
            await().until(() -> {
                try (Peer next = new Peer()) {
                    return next.ask().contains("read 2");
                } catch (IOException e) {
                    return false; // its port has not noticed yet
                }
            });
        } finally {
            first.close();
        }
    }

    @Test
    void aChunkThatIsNoneIsAnswered() throws Exception {
        try (Peer peer = new Peer()) {
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
            assertThat(peer.read()).startsWith("HTTP/1.1 400 ").contains("body: malformed");
            assertThat(peer.isClosed()).isTrue();
        }
    }

    private final class Peer implements AutoCloseable {
        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());

        Peer() throws IOException {
            socket.setSoTimeout(20_000);
        }

        void out(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        void send(String text) throws IOException {
            out(text.getBytes(StandardCharsets.US_ASCII));
        }

        String ask() throws IOException {
            send(ASK);
            return read();
        }

        /** The next bytes, once there are some; empty at the end. */
        String read() throws IOException {
            InputStream in = socket.getInputStream();
            int first = in.read();
            return first < 0
                    ? ""
                    : (char) first + new String(in.readNBytes(in.available()), StandardCharsets.ISO_8859_1);
        }

        boolean isClosed() throws IOException {
            try {
                return read().isEmpty();
            } catch (SocketException e) {
                return true; // reset, because the server did not read everything
            }
        }

        /** Sends a head byte by byte, faster than anything counts as idle, until there is an answer. */
        String trickle() throws IOException {
            await().atMost(Duration.ofSeconds(20))
                    .pollInterval(HEAD.dividedBy(8))
                    .until(() -> {
                        boolean answered = socket.getInputStream().available() > 0;
                        if (!answered) {
                            send("G");
                        }
                        return answered;
                    });
            return read();
        }

        /** Hears nothing, for longer than a head may take. */
        void staysOpen() {
            await().during(HEAD.multipliedBy(2)).atMost(Duration.ofSeconds(20)).until(() -> {
                int came = socket.getInputStream().available();
                return socket.getInputStream().readNBytes(came).length == 0;
            });
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}

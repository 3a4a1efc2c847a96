package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.GOAWAY;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.PING;
import static dev.weir.server.grpc.RawPeer.SETTINGS;
import static dev.weir.server.grpc.RawPeer.block;
import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.end;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.hello;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.grpc.RawPeer.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that do not speak gRPC, and one that has not said a word yet. */
class StrangersTest {
    private final CountingDecider decider = new CountingDecider(5);

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1", "POST /json HTTP/1.1", "PRI * HTTP/1.0"})
    void whoSpeaksHttp1IsToldSoInItsOwnWords(String line) {
        try (RawPeer peer = new RawPeer(decider)) {
            peer.send((line + "\r\nHost: weir\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            ByteBuf out = peer.channel.readOutbound();
            String[] answer = out.toString(StandardCharsets.US_ASCII).split("\r\n\r\n", -1);
            out.release();
            assertThat(answer[0]).startsWith("HTTP/1.1 505 ").contains("Content-Length: " + answer[1].length());
            assertThat(answer[1]).contains("gRPC");
            assertThat(peer.isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0016\u0003\u0001\u0002", "SSH-2.0-OpenSSH_9.6\r\n", "PRI * HTTP/2.0\r\n\r\nXX"})
    void whoSpeaksNeitherIsLetGo(String bytes) {
        try (RawPeer peer = new RawPeer(decider)) {
            peer.send(bytes.getBytes(StandardCharsets.US_ASCII));
            assertThat(peer.frames()).singleElement().satisfies(each -> {
                assertThat(each.type()).isEqualTo(GOAWAY);
                assertThat(each.error()).isEqualTo(Http2Error.PROTOCOL_ERROR);
            });
            assertThat(peer.isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, text/html, 415",
        "POST, application/json, 415",
        "POST, application/grpc+json, 415",
        "GET, application/grpc, 405",
    })
    void http2ThatIsNoGrpcIsAnsweredAsHttpOnceItsRequestHasEnded(String method, String type, int status) {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            byte[] head = block(":method", method, ":scheme", "http", ":path", RawPeer.RLS, "content-type", type);
            peer.send(frame(HEADERS, END_HEADERS, 1, head));
            assertThat(peer.frames()).isEmpty();
            peer.send(frame(DATA, END_STREAM, 1, new byte[10]));
            List<Frame> frames = peer.frames();
            assertThat(frames.get(0).text()).contains("" + status);
            assertThat(frames.get(0).text().contains("POST"))
                    .as("Allow, as a 405 must have")
                    .isEqualTo(status == 405);
            assertThat(frames.get(1).text()).contains("gRPC");
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void aPeerThatSaysHelloToAServerThatDrainsIsAnsweredAndSentElsewhere() {
        try (RawPeer peer = new RawPeer(decider)) {
            peer.channel.pipeline().get(GrpcConnectionHandler.class).drain();
            List<Frame> first = peer.frames();
            assertThat(first).extracting(Frame::type).startsWith(SETTINGS).contains(GOAWAY, PING);
            peer.send(hello(), call(1, "v"));
            assertThat(end(peer.frames(), 1)).contains("grpc-status\0010");
        }
    }
}

package dev.weir.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.grpc.RawPeer;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnfinishedInputTest {
    private final UnfinishedInput input = new UnfinishedInput(Duration.ofSeconds(10), (ctx, why) -> {}, ctx -> {});
    private final EmbeddedChannel channel = new EmbeddedChannel(input);

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
    }

    @Test
    void aHeadOfHttp1IsHeldUntilItIsUsedInPowersOfTwo() {
        send("GET /".getBytes(US_ASCII));
        assertThat(input.held()).isEqualTo(8);
        send(new byte[95]);
        assertThat(input.held()).isEqualTo(128);
        input.used();
        assertThat(input.held()).isZero();
    }

    @Test
    void framesOfHttp2AreHeldUntilTheyAreWhole() {
        byte[] hello = RawPeer.hello();
        send(hello);
        assertThat(input.held()).isZero();
        byte[] ping = RawPeer.frame(6, 0, 0, new byte[8]);
        for (int i = 0; i < ping.length - 1; i++) {
            send(ping[i]);
            assertThat(input.held()).isBetween((long) i, 32L);
        }
        send(ping[ping.length - 1]);
        assertThat(input.held()).isZero();
    }

    @Test
    void soAreHeaderBlocksOverSeveralFrames() {
        send(RawPeer.hello());
        send(RawPeer.frame(RawPeer.HEADERS, 0, 1, new byte[100]));
        assertThat(input.held()).isEqualTo(128);
        send(RawPeer.frame(RawPeer.CONTINUATION, 0, 1, new byte[100]));
        assertThat(input.held()).isEqualTo(256);
        send(RawPeer.frame(RawPeer.CONTINUATION, RawPeer.END_HEADERS, 1, new byte[100]));
        assertThat(input.held()).isZero();
    }

    @Test
    void upgradedConnectionsBeginWithThePreface() {
        send("GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n".getBytes(US_ASCII));
        input.upgraded();
        send("the rest of a body, P and PRI among it".getBytes(US_ASCII));
        assertThat(input.held()).isZero();
        send(RawPeer.hello());
        assertThat(input.held()).isZero();
        send(RawPeer.frame(RawPeer.HEADERS, 0, 1, new byte[100]));
        assertThat(input.held()).isEqualTo(128);
    }

    private void send(byte... bytes) {
        channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }
}

package dev.weir.server.http;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.server.grpc.RawPeer;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes on an HTTP connection: what it is charged for follows from the bytes, and not from how they were cut. */
class UnfinishedInputFuzzTest {
    /** A connection without Vert.x behind it. */
    private static final class Peer implements AutoCloseable {
        private final UnfinishedInput input = new UnfinishedInput(Duration.ofHours(1), (ctx, why) -> {}, ctx -> {});
        private final EmbeddedChannel channel = new EmbeddedChannel(input);
        private long sent;

        void send(byte... bytes) {
            sent += bytes.length;
            channel.writeInbound(Unpooled.wrappedBuffer(bytes));
            if (input.held() < 0 || input.held() > 2 * sent) {
                throw new AssertionError("charged " + input.held() + " for " + sent);
            }
        }

        @Override
        public void close() {
            channel.finishAndReleaseAll();
        }
    }

    static Stream<Arguments> seeds() {
        byte[] block = RawPeer.join(
                RawPeer.frame(RawPeer.HEADERS, 0, 1, new byte[100]),
                RawPeer.frame(RawPeer.CONTINUATION, 0, 1, new byte[30]));
        return Stream.of(
                arguments((Object) new byte[0]),
                arguments((Object) block),
                arguments((Object) RawPeer.join(block, RawPeer.frame(RawPeer.CONTINUATION, RawPeer.END_HEADERS, 1))),
                arguments((Object) Arrays.copyOf(RawPeer.frame(RawPeer.DATA, 0, 1, new byte[500]), 300)),
                arguments((Object) RawPeer.join(RawPeer.frame(RawPeer.PING, 0, 0, new byte[8]), new byte[] {0, 0})),
                arguments((Object) "GET /healthcheck HTTP/1.1\r\nHost: a\r\n".getBytes(StandardCharsets.US_ASCII)));
    }

    @FuzzTest(maxDuration = "30s")
    @MethodSource("seeds")
    void theChargeDoesNotDependOnHowBytesAreCut(byte @NotNull [] data) {
        for (byte[] first : new byte[][] {RawPeer.hello(), new byte[] {'G'}}) {
            try (Peer whole = new Peer();
                    Peer cut = new Peer()) {
                byte[] all = RawPeer.join(first, data);
                whole.send(all);
                for (byte each : all) {
                    cut.send(each);
                }
                if (whole.input.held() != cut.input.held()) {
                    throw new AssertionError(whole.input.held() + " at once, " + cut.input.held() + " byte by byte");
                }
            }
        }
    }
}

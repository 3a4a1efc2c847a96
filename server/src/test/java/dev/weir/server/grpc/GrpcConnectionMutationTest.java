package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.hello;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.message;
import static dev.weir.server.grpc.RawPeer.number;
import static dev.weir.server.grpc.RawPeer.open;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Good conversations with a few bytes gone wrong, cut anywhere: what a fuzzer finds first, in every build. */
class GrpcConnectionMutationTest {
    private static final byte[] CONVERSATION = join(
            hello(4, 40),
            call(1, "value"),
            open(3),
            frame(RawPeer.DATA, 0, 3, Arrays.copyOf(message("ü"), 7)),
            frame(RawPeer.PING, 0, 0, new byte[8]),
            number(RawPeer.WINDOW_UPDATE, 1, 10),
            frame(RawPeer.HEADERS, 0, 5, RawPeer.head("/grpc.health.v1.Health/Watch")),
            frame(RawPeer.CONTINUATION, RawPeer.END_HEADERS, 5),
            frame(RawPeer.DATA, RawPeer.END_STREAM, 5, new byte[5]),
            frame(RawPeer.HEADERS, 4, 7, RawPeer.head("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")),
            frame(RawPeer.DATA, 0, 7, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 2, (byte) 0x3A, (byte) 0),
            frame(RawPeer.DATA, 9, 3, (byte) 1, (byte) 5, (byte) 0),
            number(RawPeer.RST_STREAM, 5, 8),
            number(RawPeer.WINDOW_UPDATE, 0, 1_000),
            frame(RawPeer.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0}),
            call(9, "value"));

    @Test
    void noMutationOfAConversationMakesTheServerFailOrLeak() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 1_000; round++) {
            byte[] bytes = CONVERSATION.clone();
            // The preface stays, or nothing after it would be looked at.
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                bytes[24 + random.nextInt(bytes.length - 24)] = (byte) random.nextInt(256);
            }
            int cut = random.nextInt(bytes.length);
            try (RawPeer peer = new RawPeer(new CountingDecider(10))) {
                peer.send(Arrays.copyOf(bytes, cut));
                peer.send(Arrays.copyOfRange(bytes, cut, bytes.length));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
    }
}

package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.RST_STREAM;
import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.end;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.message;
import static dev.weir.server.grpc.RawPeer.number;
import static dev.weir.server.grpc.RawPeer.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.grpc.RawPeer.Frame;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The memory of requests that have not ended. */
class UnfinishedRequestsTest {
    private final CountingDecider decider = new CountingDecider(1_000_000);

    @Test
    void thoseOfAllCallersAreBoundedTogether() {
        GrpcServerSettings settings = GrpcServerSettings.defaults()
                .with(new GrpcServerSettings.Bounds(10, 10, 1_024, 16, 16_384, 20_000, 1 << 20, 2_000, 200));
        try (RawPeer peer = RawPeer.introduced(decider, settings)) {
            byte[] part = Arrays.copyOf(message("x".repeat(30_000)), 15_000);
            peer.send(open(1), frame(DATA, 0, 1, part), open(3), frame(DATA, 0, 3, part));
            assertThat(end(peer.frames(), 3)).contains("grpc-status\0018", "(expected: <= 20000)");
        }
    }

    @Test
    void theyAreEvenWhileTheyAreEmpty() {
        int most = 10;
        GrpcServerSettings settings = GrpcServerSettings.defaults()
                .with(new GrpcServerSettings.Bounds(
                        10, 10, 1_024, 16, 16_384, (long) most * ReceiveFlow.STREAM_COST, 1 << 20, 2_000, 200));
        try (RawPeer peer = RawPeer.introduced(decider, settings)) {
            for (int i = 0; i < most; i++) {
                peer.send(open(2 * i + 1));
                assertThat(peer.frames()).isEmpty();
            }
            peer.send(open(2 * most + 1));
            assertThat(end(peer.frames(), 2 * most + 1)).contains("grpc-status\0018");
            peer.send(number(RST_STREAM, 1, 8));
            peer.send(open(2 * most + 3));
            assertThat(peer.frames()).isEmpty();
        }
    }

    /** A watch is one message and its end: the request is finished, and the stream is not. */
    @Test
    void streamsWithoutATimeLimitAreChargedAsLongAsTheyAreOpen() {
        int most = 10;
        GrpcServerSettings settings = GrpcServerSettings.defaults()
                .with(new GrpcServerSettings.Bounds(
                        10, 10, 1_024, 16, 16_384, (long) most * ReceiveFlow.LASTING_COST, 1 << 20, 2_000, 200));
        try (RawPeer peer = RawPeer.introduced(decider, settings)) {
            for (int i = 0; i < most; i++) {
                peer.send(watch(2 * i + 1));
                assertThat(end(peer.frames(), 2 * i + 1)).doesNotContain("grpc-status");
            }
            assertThat(peer.context.buffered()).hasValue((long) most * ReceiveFlow.LASTING_COST);
            peer.send(watch(2 * most + 1));
            assertThat(end(peer.frames(), 2 * most + 1)).contains("grpc-status\0018");
            peer.send(number(RST_STREAM, 1, 8));
            peer.send(watch(2 * most + 3));
            assertThat(end(peer.frames(), 2 * most + 3)).doesNotContain("grpc-status");
        }
    }

    private static byte[] watch(int stream) {
        return RawPeer.join(
                frame(RawPeer.HEADERS, RawPeer.END_HEADERS, stream, RawPeer.head("/grpc.health.v1.Health/Watch")),
                frame(DATA, RawPeer.END_STREAM, stream, new byte[5]));
    }

    @Test
    void ofWhatAllMayHaveKeptOneConnectionGetsAShare() {
        GrpcServerSettings settings = GrpcServerSettings.defaults();
        byte[] part = Arrays.copyOf(message("x".repeat(1 << 20)), 16_000);
        try (RawPeer hog = RawPeer.introduced(decider, settings)) {
            String refused = "none";
            for (int stream = 1; refused.equals("none") && stream < 2_000; stream += 2) {
                hog.send(open(stream), frame(DATA, 0, stream, part), frame(DATA, 0, stream, part));
                refused = end(hog.frames(), stream);
            }
            assertThat(refused).contains("grpc-status\0018", "on this connection (expected: <= 4194304)");
            assertThat(hog.context.buffered().get())
                    .isBetween(settings.shareOfBuffered() - 3L * part.length, settings.shareOfBuffered())
                    .isLessThan(settings.bounds().buffered() / 10);
        }
    }

    @Test
    void whileThereIsNoRoomACallThatComesWholeIsAnsweredAndOneThatMustWaitIsRefused() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            long others = GrpcServerSettings.defaults().bounds().buffered();
            peer.context.buffered().addAndGet(others);
            peer.send(open(1), call(3, "v"));
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1)).contains("grpc-status\0018", "on all connections (expected: <= 67108864)");
            assertThat(end(frames, 3)).contains("grpc-status\0010");
            assertThat(peer.context.buffered()).hasValue(others);
            peer.context.buffered().addAndGet(-others);
            peer.send(open(5));
            assertThat(peer.frames()).isEmpty();
        }
    }
}

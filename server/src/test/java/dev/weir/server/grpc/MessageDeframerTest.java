package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.RST_STREAM;
import static dev.weir.server.grpc.RawPeer.SETTINGS;
import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.end;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.hello;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.message;
import static dev.weir.server.grpc.RawPeer.number;
import static dev.weir.server.grpc.RawPeer.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.grpc.RawPeer.Frame;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageDeframerTest {
    private final CountingDecider decider = new CountingDecider(5);

    @Test
    void aTaskThatBreaksEndsItsConnectionAndIsToldOf() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.channel
                    .pipeline()
                    .get(GrpcConnectionHandler.class)
                    .connection()
                    .run(() -> {
                        throw new IllegalStateException("broken on purpose");
                    });
            assertThat(peer.frames(RawPeer.GOAWAY).get(0).error()).isEqualTo(Http2Error.INTERNAL_ERROR);
            assertThat(peer.isOpen()).isFalse();
            assertThat(peer.failures.poll()).hasMessage("broken on purpose");
        }
    }

    @Test
    void aCallSplitBetweenTwoReadsAtAnyByteIsAnsweredOnce() {
        byte[] bytes = join(hello(), call(1, "v"), open(3), frame(DATA, 0, 3, Arrays.copyOf(message("v"), 7)));
        byte[] rest = frame(DATA, END_STREAM, 3, Arrays.copyOfRange(message("v"), 7, message("v").length));
        byte[] all = join(bytes, rest);
        for (int cut = 0; cut <= all.length; cut++) {
            CountingDecider counting = new CountingDecider(5);
            try (RawPeer peer = new RawPeer(counting)) {
                peer.send(Arrays.copyOf(all, cut));
                peer.send(Arrays.copyOfRange(all, cut, all.length));
                List<Frame> frames = peer.frames();
                assertThat(end(frames, 1)).contains("grpc-status\0010");
                assertThat(end(frames, 3)).contains("grpc-status\0010");
                assertThat(counting.decided).hasValue(2);
            }
        }
    }

    @Test
    void aCallThatComesByteByByteInFramesOfOneByteIsAnswered() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            byte[] message = message("v".repeat(300));
            peer.send(open(1));
            for (int i = 0; i < message.length; i++) {
                for (byte each : frame(DATA, i == message.length - 1 ? END_STREAM : 0, 1, message[i])) {
                    peer.send(new byte[] {each});
                }
            }
            assertThat(end(peer.frames(), 1)).contains("grpc-status\0010");
            assertThat(decider.decided).hasValue(1);
        }
    }

    @Test
    void aMessageOfAMebibytePassesAndTheWindowsAreToppedUp() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            ByteArrayOutputStream descriptors = new ByteArrayOutputStream();
            for (int i = 0; i < 100; i++) {
                byte[] one = message("x".repeat(10_600));
                descriptors.write(one, 8, one.length - 8);
            }
            byte[] body = join(
                    new byte[] {0},
                    ByteBufUtil.getBytes(Unpooled.copyInt(3 + descriptors.size())),
                    new byte[] {0x0A, 1, 'd'},
                    descriptors.toByteArray());
            peer.send(open(1));
            int window = 65_535;
            for (int at = 0; at < body.length; ) {
                int length = Math.min(16_384, body.length - at);
                boolean last = at + length == body.length;
                assertThat(window).isGreaterThanOrEqualTo(length);
                peer.send(frame(DATA, last ? END_STREAM : 0, 1, Arrays.copyOfRange(body, at, at + length)));
                window -= length;
                at += length;
                List<Frame> frames = peer.frames();
                for (Frame each : frames) {
                    if (each.type() == WINDOW_UPDATE && each.stream() == 1) {
                        window += Unpooled.wrappedBuffer(each.payload()).getInt(0);
                    }
                }
                if (last) {
                    assertThat(end(frames, 1)).contains("grpc-status\0010");
                }
            }
            assertThat(body.length).isGreaterThan(1 << 20);
        }
    }

    @Test
    void aMessagePastTheCapIsRefusedByTheLengthItClaims() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(open(1), frame(DATA, 0, 1, (byte) 0, (byte) 0x7F, (byte) 0, (byte) 0, (byte) 0));
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1))
                    .contains("grpc-status\0018", "message size: 2130706432 bytes (expected: <= 2097152)");
            assertThat(frames).last().satisfies(each -> {
                assertThat(each.type()).isEqualTo(RST_STREAM);
                assertThat(each.error()).isEqualTo(Http2Error.NO_ERROR);
            });
            peer.send(frame(DATA, END_STREAM, 1, new byte[100]), call(3, "v"));
            assertThat(end(peer.frames(), 3)).contains("grpc-status\0010");
        }
    }

    @Test
    void otherEncodingsAreNotImplementedAndCompressedMessagesWithoutOneAreAFault() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            byte[] compressed = message("v");
            compressed[0] = 1;
            peer.send(open(1), frame(DATA, END_STREAM, 1, compressed), open(3, "grpc-encoding", "gzip"));
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1)).contains("grpc-status\00213");
            assertThat(end(frames, 3)).contains("grpc-status\00212", "grpc-accept-encoding\010identity");
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void oneMessageIsWhatARequestHas() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(
                    frame(HEADERS, END_HEADERS | END_STREAM, 1, RawPeer.head(RawPeer.RLS)),
                    open(3),
                    frame(DATA, END_STREAM, 3, join(message("v"), message("v"))),
                    open(5),
                    frame(DATA, END_STREAM, 5, Arrays.copyOf(message("v"), 9)));
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1)).contains("grpc-status\00212");
            assertThat(end(frames, 3)).contains("grpc-status\00212");
            assertThat(end(frames, 5)).contains("grpc-status\0013");
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void aCallCancelledBeforeItsEndIsNeverDecided() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(open(1), frame(DATA, 0, 1, message("v")), number(RST_STREAM, 1, 8));
            peer.send(frame(DATA, END_STREAM, 1));
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void aCallPastItsDeadlineIsNotDecided() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(open(1, "grpc-timeout", "20m"), open(3, "grpc-timeout", "0n"), open(5, "grpc-timeout", "20s"));
            peer.time.addAndGet(20_000);
            peer.send(frame(DATA, END_STREAM, 1, message("v")), frame(DATA, END_STREAM, 3, message("v")));
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1)).contains("grpc-status\0014");
            assertThat(end(frames, 3)).contains("grpc-status\0014");
            assertThat(end(frames, 5)).contains("grpc-status\0013", "grpc-timeout");
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void throughWindowsOfOneByteAnAnswerDribblesOut() {
        try (RawPeer peer = new RawPeer(decider)) {
            peer.send(hello(4, 1), call(1, "v"));
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            boolean ended = false;
            for (int i = 0; i < 200 && !ended; i++) {
                for (Frame each : peer.frames()) {
                    if (each.type() == DATA) {
                        assertThat(each.payload()).hasSize(1);
                        body.writeBytes(each.payload());
                    }
                    ended |= each.type() == HEADERS && (each.flags() & END_STREAM) != 0;
                }
                peer.send(number(WINDOW_UPDATE, 1, 1));
            }
            assertThat(ended).isTrue();
            assertThat(body.size()).isEqualTo(5 + body.toByteArray()[4]);
        }
    }

    @Test
    void answersWaitForTheConnectionsWindowInOrderAndForAWindowThatWasTakenBack() {
        try (RawPeer peer = new RawPeer(decider)) {
            peer.send(hello());
            int calls = 2_500;
            for (int i = 0; i < calls; i++) {
                peer.send(call(2 * i + 1, "v"));
            }
            List<Frame> frames = peer.frames();
            long sent = frames.stream()
                    .filter(each -> each.type() == DATA)
                    .mapToLong(each -> each.payload().length)
                    .sum();
            assertThat(sent).isEqualTo(65_535);
            peer.send(frame(SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0}));
            peer.send(number(WINDOW_UPDATE, 0, 1 << 20));
            assertThat(peer.frames(DATA)).isEmpty();
            peer.send(frame(SETTINGS, 0, 0, new byte[] {0, 4, 0, 1, 0, 0}));
            assertThat(peer.frames(HEADERS)).isNotEmpty();
            peer.send(call(2 * calls + 1, "v"));
            assertThat(end(peer.frames(), 2 * calls + 1)).contains("grpc-status\0010");
        }
    }

    @Test
    void aRepeatedHeadMeansWhatItMeantUntilTheTableChanges() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            byte[] path = join(
                    new byte[] {0x44, (byte) RawPeer.RLS.length()}, RawPeer.RLS.getBytes(StandardCharsets.US_ASCII));
            byte[] fixed = join(new byte[] {(byte) 0x83, (byte) 0x86}, RawPeer.block());
            byte[] type = RawPeer.block("content-type", "application/grpc");
            byte[] repeated = join(fixed, new byte[] {(byte) 0xBE}, type);
            peer.send(
                    frame(HEADERS, END_HEADERS, 1, join(fixed, path, type)), frame(DATA, END_STREAM, 1, message("v")));
            for (int stream = 3; stream < 9; stream += 2) {
                peer.send(frame(HEADERS, END_HEADERS, stream, repeated), frame(DATA, END_STREAM, stream, message("v")));
                assertThat(end(peer.frames(), stream)).contains("grpc-status\0010");
            }
            byte[] other = join(new byte[] {0x44, 6}, "/other".getBytes(StandardCharsets.US_ASCII));
            peer.send(frame(HEADERS, END_HEADERS, 9, join(fixed, other, type)));
            assertThat(end(peer.frames(), 9)).contains("grpc-status\00212");
            // The same bytes now mean /other.
            peer.send(frame(HEADERS, END_HEADERS, 11, repeated));
            assertThat(end(peer.frames(), 11)).contains("grpc-status\00212");
        }
    }
}

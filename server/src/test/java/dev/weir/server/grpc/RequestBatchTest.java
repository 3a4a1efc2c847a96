package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_HEADERS;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.RST_STREAM;
import static dev.weir.server.grpc.RawPeer.end;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.number;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.grpc.RawPeer.Frame;
import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.protocol.GrpcCallException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls with several requests, as {@code weir-remote} makes them. */
class RequestBatchTest {
    private static final String DECIDE = "/weir.v1.Decisions/Decide";
    private static final String OK = "grpc-status\0010";
    private static final int PREFIX = 5;

    private final LateDecider late = new LateDecider();

    @Test
    void eachRequestIsAnsweredInItsPlaceAndOneThatIsWrongHarmsNoOther() throws Exception {
        CountingDecider decider = new CountingDecider(1);
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(batch(1, request("a"), new byte[0], request("a"), request("b")));
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1)).contains(OK);
            List<String> answers = answers(frames, 1);
            assertThat(answers).hasSize(4);
            assertThat(answers.get(0)).startsWith("0 response 1");
            assertThat(answers.get(1)).isEqualTo("1 refused rate limit domain must not be empty");
            assertThat(answers.get(2)).startsWith("2 response 2");
            assertThat(answers.get(3)).startsWith("3 response 1");
            assertThat(decider.decided).hasValue(3);
        }
    }

    @Test
    void decisionsThatComeTogetherAreAnsweredTogetherAndTheCallEndsWithTheLast() throws Exception {
        try (RawPeer peer = RawPeer.introduced(late)) {
            peer.send(batch(1, request("a"), request("b"), request("c")));
            assertThat(peer.frames()).isEmpty();
            var last = late.waiting.remove(2);
            late.tell();
            peer.channel.runPendingTasks();
            List<Frame> first = peer.frames();
            assertThat(first.stream().filter(each -> each.type() == DATA)).hasSize(1);
            assertThat(answers(first, 1)).hasSize(2);
            assertThat(end(first, 1)).isEqualTo("none");
            late.waiting.add(last);
            late.tell();
            peer.channel.runPendingTasks();
            List<Frame> rest = peer.frames();
            assertThat(answers(rest, 1)).singleElement().asString().startsWith("2 response 1");
            assertThat(end(rest, 1)).contains(OK);
        }
    }

    @Test
    void aCallThatWasCancelledHearsNothing() {
        try (RawPeer peer = RawPeer.introduced(late)) {
            peer.send(batch(1, request("a"), request("b")));
            peer.send(number(RST_STREAM, 1, (int) Http2Error.CANCEL.code()));
            late.tell();
            peer.channel.runPendingTasks();
            assertThat(peer.frames()).isEmpty();
        }
    }

    @Test
    void tooManyRequestsAreRefusedBeforeOneIsDecided() {
        CountingDecider decider = new CountingDecider(1_000);
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(batch(
                    1, Collections.nCopies(RequestBatch.MOST + 1, request("a")).toArray(byte[][]::new)));
            assertThat(end(peer.frames(), 1)).contains("requests of a call: 129 (expected: <= 128)");
            peer.send(frame(HEADERS, END_HEADERS, 3, RawPeer.head(DECIDE)));
            peer.send(
                    frame(DATA, END_STREAM, 3, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 2, (byte) 10, (byte) 9));
            assertThat(end(peer.frames(), 3)).contains("malformed message");
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void aCallerThatDoesNotReadItsAnswersIsNotDecidedFor() {
        CountingDecider decider = new CountingDecider(1_000_000);
        byte[] full =
                batch(1, Collections.nCopies(RequestBatch.MOST, request("a")).toArray(byte[][]::new));
        try (RawPeer peer = new RawPeer(decider)) {
            peer.send(RawPeer.hello(4, Integer.MAX_VALUE)); // the window of the connection stays small
            List<byte[]> all = new ArrayList<>();
            for (int stream = 1; stream < 400; stream += 2) {
                byte[] one = full.clone();
                setStream(one, stream);
                all.add(one);
            }
            peer.send(join(all.toArray(byte[][]::new)));
            assertThat(decider.decided.get()).isPositive().isLessThan(200L * RequestBatch.MOST);
            assertThat(peer.frames()).anyMatch(each -> each.text().contains("unsent answers: more than"));
        }
    }

    /** Moves the two frames of a call to another stream. */
    private static void setStream(byte[] call, int stream) {
        ByteBuf bytes = Unpooled.wrappedBuffer(call);
        bytes.setInt(5, stream);
        bytes.setInt(9 + bytes.getUnsignedMedium(0) + 5, stream);
    }

    private static byte[] request(String value) {
        byte[] prefixed = RawPeer.message(value);
        return Arrays.copyOfRange(prefixed, PREFIX, prefixed.length);
    }

    private static byte[] batch(int stream, byte[]... requests) {
        ByteBuf message = Unpooled.buffer();
        for (byte[] each : requests) {
            message.writeByte(1 << 3 | ProtobufReader.BYTES);
            ProtobufReader.writeVarint(message, each.length);
            message.writeBytes(each);
        }
        ByteBuf prefixed = Unpooled.buffer().writeByte(0).writeInt(message.readableBytes());
        return join(
                frame(HEADERS, END_HEADERS, stream, RawPeer.head(DECIDE)),
                frame(DATA, END_STREAM, stream, ByteBufUtil.getBytes(prefixed.writeBytes(message))));
    }

    /** The answers on {@code stream} as text: the place, and the code of the response or what stands in its place. */
    private static List<String> answers(List<Frame> frames, int stream) throws GrpcCallException {
        List<String> answers = new ArrayList<>();
        for (Frame frame : frames) {
            if (frame.type() == DATA && frame.stream() == stream) {
                byte[] bytes = frame.payload();
                ProtobufReader wire = new ProtobufReader().over(bytes, PREFIX, bytes.length);
                while (wire.more()) {
                    wire.tag();
                    answers.add(answer(wire));
                }
            }
        }
        return answers;
    }

    private static String answer(ProtobufReader wire) throws GrpcCallException {
        int outer = wire.enter();
        wire.tag();
        long place = wire.varint();
        int kind = wire.tag() >>> 3;
        int length = wire.length();
        String text = kind == 2
                ? "response " + wire.bytes()[wire.position() + 1]
                : "refused " + new String(wire.bytes(), wire.position(), length, StandardCharsets.UTF_8);
        wire.skipBytes(length);
        wire.leave(outer);
        return place + " " + text;
    }
}

package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.END_STREAM;
import static dev.weir.server.grpc.RawPeer.GOAWAY;
import static dev.weir.server.grpc.RawPeer.PING;
import static dev.weir.server.grpc.RawPeer.RST_STREAM;
import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.end;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.hello;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.message;
import static dev.weir.server.grpc.RawPeer.number;
import static dev.weir.server.grpc.RawPeer.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.server.grpc.RawPeer.Frame;
import io.netty.handler.codec.http2.Http2Error;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decisions that come after the read that asked for them. */
class WaitingCallTest {
    private static final String OK = "grpc-status\0010";

    private final LateDecider decider = new LateDecider();

    @Test
    void answersOfOneBatchLeaveInOneBufferForEachConnection() {
        try (RawPeer one = RawPeer.introduced(decider);
                RawPeer other = RawPeer.introduced(decider)) {
            one.send(call(1, "a"), call(3, "b"));
            other.send(call(1, "c"));
            one.send(call(5, "d"));
            other.send(call(3, "e"));
            assertThat(one.channel.outboundMessages()).isEmpty();
            decider.tell();
            one.channel.runPendingTasks();
            other.channel.runPendingTasks();
            assertThat(one.channel.outboundMessages()).hasSize(1);
            assertThat(other.channel.outboundMessages()).hasSize(1);
            List<Frame> frames = one.frames();
            assertThat(List.of(end(frames, 1), end(frames, 3), end(frames, 5)))
                    .allSatisfy(each -> assertThat(each).contains(OK));
            frames = other.frames();
            assertThat(List.of(end(frames, 1), end(frames, 3)))
                    .allSatisfy(each -> assertThat(each).contains(OK));
        }
    }

    @Test
    void moreThanABufferHoldsDoesNotWaitForTheEndOfTheBatch() {
        try (RawPeer peer = new RawPeer(decider)) {
            peer.send(hello(4, 1 << 30), number(RawPeer.WINDOW_UPDATE, 0, 1 << 30));
            peer.frames();
            for (int stream = 1; stream < 2_000; stream += 2) {
                peer.send(call(stream, "v"));
            }
            decider.tell();
            peer.channel.runPendingTasks();
            assertThat(peer.channel.outboundMessages()).hasSizeBetween(2, 10);
            List<Frame> frames = peer.frames();
            assertThat(frames.stream().filter(each -> each.type() == DATA)).hasSize(1_000);
        }
    }

    @Test
    void aCallThatWasCancelledHearsNothingAndThoseBesideItAreAnswered() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(call(1, "a"), call(3, "b"));
            peer.send(number(RST_STREAM, 1, (int) Http2Error.CANCEL.code()));
            peer.send(call(5, "takes over what the first one held"));
            decider.tell();
            peer.channel.runPendingTasks();
            List<Frame> frames = peer.frames();
            assertThat(frames).noneMatch(each -> each.stream() == 1);
            assertThat(end(frames, 3)).contains(OK);
            assertThat(end(frames, 5)).contains(OK);
        }
    }

    @Test
    void afterAPauseABusyClientHasGivenUpManyCallsAndIsNotCutOffForThem() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            int stream = 1;
            for (int i = 0; i < 10_000; i++, stream += 2) {
                peer.send(call(stream, "v"), number(RST_STREAM, stream, (int) Http2Error.CANCEL.code()));
            }
            peer.send(call(stream, "v"));
            decider.tell();
            peer.channel.runPendingTasks();
            assertThat(end(peer.frames(), stream)).contains(OK);
        }
    }

    @Test
    void aCallIsAnsweredOnce() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(call(1, "a"));
            Waiter waiter = decider.waiting.get(0);
            decider.tell();
            decider.waiting.add(waiter);
            decider.tell();
            peer.channel.runPendingTasks();
            assertThat(peer.frames(DATA)).hasSize(1);
        }
    }

    @Test
    void aConnectionThatIsGoneTakesItsAnswersWithIt() {
        RawPeer gone = RawPeer.introduced(decider);
        try (RawPeer there = RawPeer.introduced(decider)) {
            there.send(call(1, "a"));
            gone.send(call(1, "b"));
            gone.close();
            decider.tell();
            there.channel.runPendingTasks();
            assertThat(end(there.frames(), 1)).contains(OK);
        }
    }

    @Test
    void aConnectionThatClosesBetweenAnAnswerAndItsFlushLeaksNothing() {
        RawPeer peer = RawPeer.introduced(decider);
        peer.send(call(1, "b"));
        Waiter waiter = decider.waiting.get(0);
        waiter.home().execute(() -> peer.channel.pipeline().fireChannelInactive());
        decider.tell();
        waiter.home().execute(() -> peer.channel.pipeline().fireChannelInactive());
        peer.close();
    }

    @Test
    void aConnectionThatDrainsStaysUntilTheCallsThatWaitAreAnswered() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(call(1, "a"));
            peer.channel.pipeline().get(GrpcConnectionHandler.class).drain();
            byte[] ping = peer.frames(PING).get(0).payload();
            peer.send(frame(PING, 1, 0, ping));
            assertThat(peer.frames(GOAWAY))
                    .singleElement()
                    .satisfies(each -> assertThat(each.text()).startsWith("\0\0\0\1"));
            assertThat(peer.isOpen()).isTrue();
            peer.send(call(3, "too late"));
            decider.tell();
            peer.channel.runPendingTasks();
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1)).contains(OK);
            assertThat(frames).last().satisfies(each -> {
                assertThat(each.type()).isEqualTo(GOAWAY);
                assertThat(each.text()).as("stream 3 was not dealt with").startsWith("\0\0\0\1");
            });
            assertThat(peer.isOpen()).isFalse();
        }
    }

    @Test
    void whoeverWaitsSaysForHowLongItsCallerDoes() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(call(1, "a"));
            peer.send(open(3, "grpc-timeout", "20m"));
            peer.time.addAndGet(15_000);
            peer.send(frame(DATA, END_STREAM, 3, message("a")));
            assertThat(decider.waiting).extracting(Waiter::patienceMicros).containsExactly(Long.MAX_VALUE, 5_000L);
            decider.tell();
        }
    }

    @Test
    void aCallWhoseCallerNoLongerWaitsIsNotDecided() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(open(1, "grpc-timeout", "20m"));
            peer.time.addAndGet(20_000);
            peer.send(frame(DATA, END_STREAM, 1, message("a")));
            assertThat(decider.waiting).isEmpty();
            assertThat(end(peer.frames(), 1)).contains("grpc-status\0014");
        }
    }

    @Test
    void aPeerThatDoesNotOpenItsWindowsIsCutOffWhenTooMuchWaitsForIt() {
        GrpcServerSettings.Bounds tight =
                new GrpcServerSettings.Bounds(10, 10, 1_024, 16, 16_384, 1 << 20, 20, 2_000, 200);
        try (RawPeer peer = new RawPeer(decider, GrpcServerSettings.defaults().with(tight))) {
            peer.send(hello(4, 0));
            peer.frames();
            peer.send(join(call(1, "a"), call(3, "b"), call(5, "c")));
            decider.tell();
            peer.channel.runPendingTasks();
            assertThat(peer.frames(GOAWAY))
                    .singleElement()
                    .extracting(Frame::error)
                    .isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        }
    }

    @Test
    void anAnswerThatCannotBeWrittenFailsItsCallAlone() {
        RawPeer peer = RawPeer.introduced(decider);
        peer.send(call(1, "a"), call(3, "b"));
        Waiter first = decider.waiting.remove(0);
        // A verdict about a descriptor that the request does not have.
        MutableDecision broken = new MutableDecision();
        broken.begin(0);
        broken.add().set(null, null, 99, 1, MutableVerdict.Reason.UNLIMITED, 0, 0, 0, 0);
        broken.end(true, 0);
        first.home().execute(() -> first.decided(Request.to("d"), broken));
        decider.tell();
        peer.channel.runPendingTasks();
        List<Frame> frames = peer.frames();
        assertThat(end(frames, 1)).contains("grpc-status\00213");
        assertThat(end(frames, 3)).contains(OK);
        assertThat(peer.failures).hasSize(1);
        peer.failures.clear();
        peer.close();
    }
}

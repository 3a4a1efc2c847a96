package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.CONTINUATION;
import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.GOAWAY;
import static dev.weir.server.grpc.RawPeer.HEADERS;
import static dev.weir.server.grpc.RawPeer.PING;
import static dev.weir.server.grpc.RawPeer.RST_STREAM;
import static dev.weir.server.grpc.RawPeer.SETTINGS;
import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.end;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.message;
import static dev.weir.server.grpc.RawPeer.number;
import static dev.weir.server.grpc.RawPeer.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.grpc.RawPeer.Frame;
import dev.weir.server.health.Health;
import io.netty.handler.codec.http2.Http2Error;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostilePeersTest {
    private final CountingDecider decider = new CountingDecider(1_000_000);

    /** Floods of frames that cost work and ask for nothing; the number is how often it has come before. */
    enum Flood {
        PINGS(i -> frame(PING, 0, 0, new byte[8])),
        PING_ANSWERS(i -> frame(PING, 1, 0, new byte[8])),
        SETTINGS_FRAMES(i -> frame(SETTINGS, 0, 0)),
        SETTINGS_ANSWERS(i -> frame(SETTINGS, 1, 0)),
        EMPTY_DATA(i -> i == 0 ? open(1) : frame(DATA, 0, 1)),
        PRIORITIES(i -> frame(2, 0, 1, new byte[5])),
        WINDOW_UPDATES(i -> i == 0 ? open(1) : number(WINDOW_UPDATE, 1, 1)),
        UNKNOWN_FRAMES(i -> frame(99, 0, 0)),
        CONTINUATIONS(i -> i == 0 ? frame(HEADERS, 0, 1) : frame(CONTINUATION, 0, 1)),
        RAPID_RESETS(i -> join(open(2 * i + 1), number(RST_STREAM, 2 * i + 1, 8))),
        RESETS_BY_US(i -> join(open(2 * i + 1), number(WINDOW_UPDATE, 2 * i + 1, 0))),
        STREAMS_REFUSED(i -> open(2 * i + 1)),
        BAD_HEADS(i -> frame(HEADERS, 5, 2 * i + 1, RawPeer.block("te", "x")));

        @SuppressWarnings("ImmutableEnumChecker") // the functions above hold nothing
        private final IntFunction<byte[]> frames;

        Flood(IntFunction<byte[]> frames) {
            this.frames = frames;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFloodEndsTheConnectionAndSaysWhy(Flood flood) {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            int sent = 0;
            while (peer.isOpen() && sent < 20_000) {
                peer.send(flood.frames.apply(sent++));
            }
            assertThat(peer.isOpen()).isFalse();
            List<Frame> last = peer.frames(GOAWAY);
            assertThat(last).hasSize(1);
            assertThat(last.get(0).error()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
            assertThat(last.get(0).payload().length).isGreaterThan(8);
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void aFloodOfWholeCallsThatAreGivenUpAtOnceEndsTheConnectionToo() {
        LateDecider late = new LateDecider();
        try (RawPeer peer = RawPeer.introduced(late)) {
            for (int i = 0; i < 20_000 && peer.isOpen(); i++) {
                peer.send(call(2 * i + 1, "v"), number(RST_STREAM, 2 * i + 1, 8));
            }
            assertThat(peer.frames(GOAWAY))
                    .singleElement()
                    .satisfies(each -> assertThat(each.text()).contains("too many streams reset"));
        }
    }

    @Test
    void aBusyClientMayPingAndOpenWindowsAsBusilyAsItAsks() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            for (int i = 0; i < 3_000; i++) {
                peer.send(call(2 * i + 1, "v"), frame(PING, 0, 0, new byte[8]), number(WINDOW_UPDATE, 0, 100));
                assertThat(end(peer.frames(), 2 * i + 1)).contains("grpc-status");
            }
            assertThat(peer.isOpen()).isTrue();
        }
    }

    @Test
    void headsPastTheBoundAreRefusedAndTheConnectionLives() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            String[] fields = new String[2 * 150];
            for (int i = 0; i < fields.length; i += 2) {
                fields[i] = "x-" + i;
                fields[i + 1] = "v".repeat(120);
            }
            byte[] head = RawPeer.head(RawPeer.RLS, fields);
            byte[] first = Arrays.copyOf(head, 16_384);
            byte[] rest = Arrays.copyOfRange(head, 16_384, head.length);
            peer.send(frame(HEADERS, 0, 1, first), frame(CONTINUATION, RawPeer.END_HEADERS, 1, rest));
            assertThat(peer.frames(RST_STREAM)).hasSize(1);
            peer.send(call(3, "v"));
            assertThat(end(peer.frames(), 3)).contains("grpc-status\0010");
        }
    }

    @Test
    void whatWaitsForAPeerThatOpensNoWindowsIsBounded() {
        GrpcServerSettings settings = GrpcServerSettings.defaults()
                .with(new GrpcServerSettings.Bounds(10, 10, 1_024, 16, 16_384, 1 << 20, 10_000, 2_000, 200));
        try (RawPeer peer = new RawPeer(decider, settings)) {
            peer.send(RawPeer.hello(4, 0));
            for (int i = 0; i < 1_000 && peer.isOpen(); i++) {
                peer.send(call(2 * i + 1, "v"));
            }
            assertThat(peer.isOpen()).isFalse();
            assertThat(peer.frames(GOAWAY).get(0).text()).contains("(expected: <= 10000)");
        }
    }

    @Test
    void aRefusedRequestMayFinishButNotGoOnForEver() {
        byte[] head =
                RawPeer.block(":method", "POST", ":scheme", "http", ":path", RawPeer.RLS, "content-type", "text/plain");
        byte[] part = new byte[16_384];
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(frame(HEADERS, RawPeer.END_HEADERS, 1, head));
            for (int sent = 0; sent < 1 << 20; sent += part.length) {
                peer.send(frame(DATA, 0, 1, part));
            }
            assertThat(peer.frames(RST_STREAM)).isEmpty();
            peer.send(frame(DATA, 0, 1, part));
            assertThat(peer.frames(RST_STREAM)).hasSize(1);
            peer.send(call(3, "v"));
            assertThat(end(peer.frames(), 3)).contains("grpc-status\0010");
        }
    }

    @Test
    void dataPastTheWindowsOfTheConnectionEndsIt() {
        byte[][] parts = new byte[ReceiveFlow.CONNECTION_WINDOW / 16_384 + 2][];
        Arrays.fill(parts, frame(DATA, 0, 1, new byte[16_384]));
        parts[0] = open(1);
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(parts);
            assertThat(peer.isOpen()).isFalse();
            assertThat(peer.frames(GOAWAY).get(0).error()).isEqualTo(Http2Error.FLOW_CONTROL_ERROR);
        }
    }

    @Test
    void nothingIsReadWhileAnswersAreNotTaken() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
            peer.channel.runPendingTasks();
            assertThat(peer.channel.config().isAutoRead()).isFalse();
            peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
            peer.channel.runPendingTasks();
            assertThat(peer.channel.config().isAutoRead()).isTrue();
        }
    }

    @Test
    void aPeerThatSaysNothingOrStopsHalfWayIsLetGo() {
        GrpcServerSettings.Times none =
                new GrpcServerSettings.Times(Duration.ZERO, Duration.ZERO, Duration.ofDays(1), Duration.ofDays(1));
        try (RawPeer silent = new RawPeer(decider, GrpcServerSettings.defaults().with(none))) {
            silent.channel.advanceTimeBy(2, TimeUnit.SECONDS);
            silent.channel.runScheduledPendingTasks();
            assertThat(silent.isOpen()).isFalse();
        }
        try (RawPeer slow =
                RawPeer.introduced(decider, GrpcServerSettings.defaults().with(none))) {
            slow.send(open(1), frame(DATA, 0, 1, message("v")));
            slow.time.addAndGet(1);
            slow.channel.advanceTimeBy(2, TimeUnit.SECONDS);
            slow.channel.runScheduledPendingTasks();
            assertThat(slow.frames(RST_STREAM)).hasSize(1);
            assertThat(decider.decided).hasValue(0);
        }
    }

    @Test
    void aWatchMayStayButHalfOfAMessageMayNot() {
        GrpcServerSettings.Times brief = new GrpcServerSettings.Times(
                Duration.ofDays(1), Duration.ofSeconds(5), Duration.ofDays(1), Duration.ofDays(1));
        try (RawPeer peer = new RawPeer(decider, GrpcServerSettings.defaults().with(brief))) {
            peer.send(RawPeer.hello(4, 7)); // a window for one answer of a watch
            byte[] watch = RawPeer.head("/grpc.health.v1.Health/Watch");
            byte[] reflection = RawPeer.head("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
            peer.send(frame(HEADERS, RawPeer.END_HEADERS, 1, watch), frame(DATA, RawPeer.END_STREAM, 1, new byte[5]));
            peer.send(frame(HEADERS, RawPeer.END_HEADERS, 3, reflection));
            tick(peer, 10);
            assertThat(peer.frames(RST_STREAM)).isEmpty();

            peer.health.set(Health.State.SERVING); // more than the window holds, for a moment
            peer.send(frame(DATA, 0, 3, new byte[4]));
            tick(peer, 2);
            assertThat(peer.frames(RST_STREAM)).isEmpty();
            peer.send(number(WINDOW_UPDATE, 1, 100));
            tick(peer, 10);
            assertThat(peer.frames(RST_STREAM)).extracting(Frame::stream).containsExactly(3);
            assertThat(peer.context.buffered()).as("the watch").hasValue(ReceiveFlow.LASTING_COST);

            peer.health.set(Health.State.NOT_SERVING);
            assertThat(peer.frames(DATA)).extracting(Frame::stream).containsExactly(1);
        }
    }

    @Test
    void whatHasLeftAWatchThatIsNeverSentToTheEndIsNotKept() {
        try (RawPeer peer = new RawPeer(decider)) {
            peer.send(RawPeer.hello(4, 3), number(WINDOW_UPDATE, 0, 1 << 20)); // less than the first answer
            byte[] watch = RawPeer.head("/grpc.health.v1.Health/Watch");
            peer.send(frame(HEADERS, RawPeer.END_HEADERS, 1, watch), frame(DATA, RawPeer.END_STREAM, 1, new byte[5]));
            for (int i = 0; i < 10_000; i++) {
                peer.health.set(i % 2 == 0 ? Health.State.SERVING : Health.State.NOT_SERVING);
                peer.send(number(WINDOW_UPDATE, 1, 7));
                assertThat(peer.frames(DATA)).isNotEmpty();
            }
            assertThat(peer.memory()).isLessThan(4_096);
        }
    }

    /** One read has thousands of questions, and each answer is much longer than its question. */
    @Test
    void descriptionsBeyondABoundAreRefusedUntilThePeerHasTakenThem() {
        byte[] list = {0, 0, 0, 0, 2, 7 << 3 | 2, 0};
        byte[][] questions = new byte[2_300][];
        Arrays.fill(questions, list);
        byte[] head = RawPeer.head("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
        byte[] quarter = join(questions);
        byte[] data = frame(DATA, 0, 1, quarter);
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.send(number(WINDOW_UPDATE, 0, 1 << 30));
            peer.send(
                    join(frame(HEADERS, RawPeer.END_HEADERS, 1, head), number(WINDOW_UPDATE, 1, 1 << 30), data, data));
            List<Frame> frames = peer.frames();
            assertThat(end(frames, 1)).contains("grpc-status\0018", "unsent answers: more than 262144 bytes");
            assertThat(frames.stream()
                            .filter(each -> each.type() == DATA)
                            .mapToInt(each -> each.payload().length)
                            .sum())
                    .isBetween(200_000, 270_000);
            peer.send(frame(HEADERS, RawPeer.END_HEADERS, 3, head), frame(DATA, RawPeer.END_STREAM, 3, list));
            assertThat(end(peer.frames(), 3)).contains("grpc-status\0010");
        }
    }

    @Test
    void streamsGivenUpWhileTheyWaitedForTheConnectionsWindowAreForgotten() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            int stream = 1;
            peer.send(call(stream, "v"));
            while (!end(peer.frames(), stream).equals("none")) {
                stream += 2;
                peer.send(call(stream, "v"));
            }
            peer.send(number(RST_STREAM, stream, 8));
            for (int i = 0; i < 100; i++) {
                stream += 2;
                peer.send(call(stream, "v"), number(RST_STREAM, stream, 8));
            }
            peer.frames();
            peer.send(number(WINDOW_UPDATE, 0, 10_000));
            assertThat(peer.frames()).as("nobody waits for it").isEmpty();
            peer.send(call(stream + 2, "v"));
            assertThat(end(peer.frames(), stream + 2)).contains("grpc-status\0010");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFrameOrAHeadThatIsNeverWholeEndsTheConnection(boolean head) {
        GrpcServerSettings.Times brief = new GrpcServerSettings.Times(
                Duration.ofDays(1), Duration.ofSeconds(5), Duration.ofDays(1), Duration.ofDays(1));
        byte[] frame = frame(head ? CONTINUATION : DATA, 0, 1, new byte[1_000]);
        try (RawPeer peer =
                RawPeer.introduced(decider, GrpcServerSettings.defaults().with(brief))) {
            peer.send(head ? frame(HEADERS, 0, 1) : open(1));
            for (int i = 0; i < 20 && peer.isOpen(); i++) {
                peer.send(head ? frame(CONTINUATION, 0, 1, (byte) 0) : new byte[] {frame[i]});
                tick(peer, 1);
                assertThat(peer.isOpen()).isEqualTo(i < 5);
            }
            assertThat(peer.frames(GOAWAY))
                    .singleElement()
                    .satisfies(each ->
                            assertThat(each.text()).contains("a frame or header block was not completed in time"));
        }
    }

    @Test
    void streamsOpenedBeforeThePeerKnowsHowManyItMayAreRefusedAndNoMore() {
        GrpcServerSettings settings = GrpcServerSettings.defaults()
                .with(new GrpcServerSettings.Bounds(10, 10, 8, 16, 16_384, 1 << 20, 1 << 20, 2_000, 200));
        try (RawPeer peer = RawPeer.introduced(decider, settings)) {
            for (int i = 0; i < 1_000; i++) {
                peer.send(open(2 * i + 1));
            }
            assertThat(peer.isOpen()).isTrue();
            assertThat(peer.frames(RST_STREAM))
                    .hasSize(1_000 - 8)
                    .allSatisfy(each -> assertThat(each.error()).isEqualTo(Http2Error.REFUSED_STREAM));
        }
    }

    private static void tick(RawPeer peer, int seconds) {
        for (int i = 0; i < seconds; i++) {
            peer.time.addAndGet(1_000_000);
            peer.channel.advanceTimeBy(1, TimeUnit.SECONDS);
            peer.channel.runScheduledPendingTasks();
        }
    }

    @Test
    void aPeerThatAnswersNoPingIsGoneAndAnIdleOneIsLetGo() {
        GrpcServerSettings.Times brief =
                new GrpcServerSettings.Times(Duration.ofDays(1), Duration.ofDays(1), Duration.ZERO, Duration.ofDays(1));
        try (RawPeer dead =
                RawPeer.introduced(decider, GrpcServerSettings.defaults().with(brief))) {
            for (int i = 0; i < 5 && dead.isOpen(); i++) {
                dead.channel.advanceTimeBy(2, TimeUnit.SECONDS);
                dead.channel.runScheduledPendingTasks();
            }
            assertThat(dead.frames(PING)).hasSize(1);
            assertThat(dead.isOpen()).isFalse();
        }
        GrpcServerSettings.Times idle =
                new GrpcServerSettings.Times(Duration.ofDays(1), Duration.ofDays(1), Duration.ofDays(1), Duration.ZERO);
        try (RawPeer peer =
                RawPeer.introduced(decider, GrpcServerSettings.defaults().with(idle))) {
            peer.channel.advanceTimeBy(2, TimeUnit.SECONDS);
            peer.channel.runScheduledPendingTasks();
            assertThat(peer.frames(GOAWAY))
                    .singleElement()
                    .satisfies(each -> assertThat(each.error()).isEqualTo(Http2Error.NO_ERROR));
        }
    }

    @Test
    void aConnectionThatIsTooOldIsDrainedAndThenClosed() {
        Duration day = Duration.ofDays(1);
        GrpcServerSettings.Times old =
                new GrpcServerSettings.Times(day, day, day, day).withAge(Duration.ofNanos(1_000), Duration.ZERO);
        try (RawPeer peer =
                RawPeer.introduced(decider, GrpcServerSettings.defaults().with(old))) {
            peer.channel.advanceTimeBy(1, TimeUnit.SECONDS);
            peer.channel.runScheduledPendingTasks();
            assertThat(peer.frames(GOAWAY))
                    .singleElement()
                    .satisfies(each -> assertThat(each.error()).isEqualTo(Http2Error.NO_ERROR));
            assertThat(peer.isOpen()).isTrue();
            peer.channel.advanceTimeBy(1, TimeUnit.SECONDS);
            peer.channel.runScheduledPendingTasks();
            assertThat(peer.frames(GOAWAY)).isNotEmpty();
        }
    }
}

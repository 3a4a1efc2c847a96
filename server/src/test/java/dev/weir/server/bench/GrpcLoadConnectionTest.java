package dev.weir.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** A connection of the load generator, with a service that a test plays frame by frame. */
class GrpcLoadConnectionTest {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int GO_AWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int PREFACE = 24;
    /** A gRPC message with the code OK. */
    private static final byte[] ALLOWED = {0, 0, 0, 0, 2, 8, 1};

    private final LoadTally tally = new LoadTally();
    private final List<LoadConnection> successors = new ArrayList<>();

    /** A service at the other end of one connection: the streams that wait for an answer, and the data of the last. */
    private static final class Service {
        final EmbeddedChannel channel;
        final Deque<Integer> waiting = new ArrayDeque<>();
        private final ByteBuf unread = Unpooled.buffer();
        private int skip = PREFACE;
        long dataOfLast;
        int longestFrame;

        Service(LoadConnection connection, int... settings) {
            channel = new EmbeddedChannel(connection);
            ByteBuf content = Unpooled.buffer();
            for (int i = 0; i < settings.length; i += 2) {
                content.writeShort(settings[i]).writeInt(settings[i + 1]);
            }
            send(WINDOW_UPDATE, 0, 0, Unpooled.buffer().writeInt(1 << 30));
            send(SETTINGS, 0, 0, content);
        }

        void send(int type, int flags, int stream, ByteBuf content) {
            channel.writeInbound(Unpooled.buffer()
                    .writeMedium(content.readableBytes())
                    .writeByte(type)
                    .writeByte(flags)
                    .writeInt(stream)
                    .writeBytes(content));
            read();
        }

        void allow(int stream) {
            send(DATA, END_STREAM, stream, Unpooled.wrappedBuffer(ALLOWED));
        }

        void goAway(int last, int code) {
            send(GO_AWAY, 0, 0, Unpooled.buffer().writeInt(last).writeInt(code));
        }

        /** Reads what was sent since the last call. */
        void read() {
            channel.runPendingTasks();
            for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
                unread.writeBytes(each);
                each.release();
            }
            unread.skipBytes(skip);
            skip = 0;
            while (unread.isReadable()) {
                int length = unread.readMedium();
                int type = unread.readByte();
                int flags = unread.readByte();
                int stream = unread.readInt();
                unread.skipBytes(length);
                longestFrame = Math.max(longestFrame, length);
                if (type == HEADERS) {
                    dataOfLast = 0;
                } else if (type == DATA) {
                    dataOfLast += length;
                    if ((flags & END_STREAM) != 0) {
                        waiting.add(stream);
                    }
                }
            }
            unread.discardReadBytes();
        }
    }

    private GrpcLoadConnection connection(int inFlight, String value) {
        LoadSettings settings = new LoadSettings(
                LoadTarget.of("grpc://localhost:1"),
                new LoadRequest("d", List.of(List.of(Map.entry("user", value)))),
                0,
                1,
                inFlight,
                1,
                0,
                1);
        return new GrpcLoadConnection(settings, tally, 0, (successor, ended, failed) -> successors.add(successor));
    }

    private Service started(LoadConnection connection, int... settings) {
        Service service = new Service(connection, settings);
        connection.start();
        service.read();
        return service;
    }

    private long longestMicros() {
        Histogram all = new Histogram(LoadConnection.recorder().getIntervalHistogram());
        all.reset();
        tally.drainTo(all);
        return all.getMaxValue();
    }

    @Test
    void aRequestThatWaitsBehindManyOthersKeepsItsOwnLatency() {
        GrpcLoadConnection connection = connection(8, "u");
        long before = System.nanoTime();
        Service service = started(connection);
        long sent = System.nanoTime();
        int held = service.waiting.remove();
        for (int i = 0; i < 20_000; i++) {
            service.allow(service.waiting.remove());
        }
        assertThat(service.waiting).hasSize(7).doesNotHaveDuplicates().doesNotContain(held);
        longestMicros();
        long answered = System.nanoTime();
        service.allow(held);
        long after = System.nanoTime();
        // The histogram has three digits.
        assertThat(longestMicros())
                .isBetween((answered - sent) / 1_000 * 999 / 1_000, (after - before) / 1_000 * 1_001 / 1_000 + 1);
        assertThat(tally.allowed()).isEqualTo(20_001);
        assertThat(connection.unanswered()).isEqualTo(8);
        assertThat(tally.errors()).isZero();
    }

    @Test
    void anAnswerToAnEndedStreamCountsOnce() {
        GrpcLoadConnection connection = connection(1, "u");
        Service service = started(connection);
        int first = service.waiting.remove();
        service.allow(first);
        service.allow(first);
        assertThat(tally.allowed()).isEqualTo(1);
        assertThat(connection.unanswered()).isEqualTo(1);
        assertThat(service.waiting).hasSize(1);
    }

    @Test
    void aConnectionThatTheServiceDrainsGoesOnWithAnother() {
        GrpcLoadConnection connection = connection(4, "u");
        Service service = started(connection);
        service.allow(service.waiting.remove());
        List<Integer> streams = List.copyOf(service.waiting);
        assertThat(streams).hasSize(4);
        // As services do it: first without a number, so that no request is refused, then with the last stream.
        service.goAway(Integer.MAX_VALUE, 0);
        service.goAway(streams.get(1), 0);
        assertThat(successors).hasSize(1);
        assertThat(connection.unanswered()).isEqualTo(4);
        Service other = new Service(successors.get(0));
        assertThat(other.waiting)
                .as("two that were not processed, and new ones")
                .hasSize(4);
        service.allow(streams.get(0));
        service.allow(streams.get(1));
        assertThat(service.waiting).containsExactlyElementsOf(streams);
        var unused = service.channel.close();
        connection.end();
        assertThat(connection.unanswered()).isEqualTo(4);
        for (int stream : List.copyOf(other.waiting)) {
            other.allow(stream);
        }
        assertThat(other.waiting).hasSize(4);
        assertThat(connection.unanswered()).isZero();
        connection.stop();
        assertThat(tally.allowed()).isEqualTo(1 + 2 + 4);
        assertThat(tally.errors()).isZero();
        assertThat(tally.problem()).isNull();
    }

    @Test
    void aServiceThatDrainsEveryConnectionOrRefusesTheLoadIsAnError() {
        GrpcLoadConnection refused = connection(4, "u");
        Service service = started(refused);
        service.goAway(0, 11);
        assertThat(tally.errors()).isEqualTo(4);
        assertThat(tally.problem()).isEqualTo("the service ended the connection (GOAWAY, error 11)");
        assertThat(refused.unanswered()).isZero();
        assertThat(successors).isEmpty();

        GrpcLoadConnection drained = connection(4, "u");
        started(drained).goAway(0, 0);
        new Service(successors.get(0)).goAway(0, 0);
        assertThat(successors).hasSize(1);
        assertThat(tally.errors()).isEqualTo(8);
        assertThat(drained.unanswered()).isZero();
    }

    @Test
    void aRequestFitsIntoFramesAndWindows() {
        Service service = started(connection(1, "u".repeat(40_000)));
        assertThat(service.dataOfLast).isGreaterThan(40_000);
        assertThat(service.longestFrame).isEqualTo(1 << 14);
        service.allow(service.waiting.remove());
        assertThat(tally.allowed()).isEqualTo(1);

        started(connection(1, "u".repeat(100)), 4, 64);
        assertThat(tally.errors()).isPositive();
        assertThat(tally.problem()).startsWith("the service takes 64 bytes of a stream at once, and a request has ");
    }
}

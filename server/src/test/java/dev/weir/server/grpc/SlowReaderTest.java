package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.hello;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A peer over a real socket that asks and asks and never reads its answers. */
class SlowReaderTest {
    private static final int WIDE_OPEN = Integer.MAX_VALUE;
    /** The write buffer's mark, what is read and answered at once past it, and what the allocator holds in reserve. */
    private static final long MOST_MEMORY = 8 << 20;

    private static final int BATCH = 500;

    private final CountingDecider decider = new CountingDecider(1_000_000_000);

    @Test
    void isReadNoFurtherAndOthersAreServedAndItGetsEveryAnswerOnceItReads() throws Exception {
        try (TestGrpcServer rig = new TestGrpcServer(decider);
                Flood flood = new Flood(rig)) {
            long before = memory();
            flood.untilNothingMoves();
            long asked = decider.decided.get();
            assertThat(asked).isPositive();
            assertThat(memory() - before).isLessThan(MOST_MEMORY);

            // The same event loop goes on for others, and for this peer nothing more is decided.
            assertServed(rig);
            flood.untilNothingMoves();
            assertThat(decider.decided.get()).isEqualTo(asked + 1);
            assertThat(rig.cutOff).isEmpty();

            assertThat(flood.answers(asked)).isEqualTo(asked);
            // What it had sent meanwhile waited in the sockets, and is read now.
            await().until(() -> decider.decided.get() > asked + 1);
        }
    }

    @Test
    void isCutOffWhenItHasTakenNothingForTooLong() throws Exception {
        GrpcServerSettings.Times brief = new GrpcServerSettings.Times(
                Duration.ofDays(1), Duration.ofSeconds(1), Duration.ofDays(1), Duration.ofDays(1));
        try (TestGrpcServer rig = new TestGrpcServer(
                        decider, GrpcServerSettings.defaults().with(brief));
                Flood flood = new Flood(rig)) {
            long before = memory();
            flood.untilNothingMoves();
            await().atMost(Duration.ofSeconds(20)).until(() -> rig.cutOff.contains("peer does not read its answers"));
            await().until(() -> memory() - before < MOST_MEMORY / 2);
            assertServed(rig);
        }
    }

    private static void assertServed(TestGrpcServer rig) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), rig.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(join(hello(), call(1, "other")));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (!endsStream(in)) {}
        }
    }

    /** Reads a frame; whether it is the one that ends an answer. */
    private static boolean endsStream(DataInputStream in) throws IOException {
        int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        in.skipNBytes(4L + length);
        return type == RawPeer.HEADERS && (flags & RawPeer.END_STREAM) != 0;
    }

    private static long memory() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    /** The peer: all its windows are open, and it writes for as long as anything can be written. */
    private final class Flood implements AutoCloseable {
        private final SocketChannel channel;
        private final AtomicLong sent = new AtomicLong();
        private ByteBuffer unsent;
        private int stream = 1;

        Flood(TestGrpcServer rig) throws IOException {
            channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 8 << 10);
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.port()));
            channel.configureBlocking(false);
            unsent = ByteBuffer.wrap(join(hello(4, WIDE_OPEN), number(WINDOW_UPDATE, 0, WIDE_OPEN - 65_535)));
        }

        /** Writes until neither the socket takes a byte nor the server decides a call for half a second. */
        void untilNothingMoves() {
            await().atMost(Duration.ofSeconds(30))
                    .during(Duration.ofMillis(500))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> write() == 0);
        }

        private long write() throws IOException {
            long decided = decider.decided.get();
            long written = 0;
            int n;
            do {
                if (!unsent.hasRemaining()) {
                    ByteArrayOutputStream calls = new ByteArrayOutputStream();
                    for (int i = 0; i < BATCH; i++, stream += 2) {
                        calls.writeBytes(call(stream, "v"));
                    }
                    unsent = ByteBuffer.wrap(calls.toByteArray());
                }
                n = channel.write(unsent);
                written += n;
            } while (n > 0);
            sent.addAndGet(written);
            return written + decider.decided.get() - decided;
        }

        /** Reads at last, for so many answers. */
        long answers(long most) throws IOException {
            channel.configureBlocking(true);
            channel.socket().setSoTimeout(10_000);
            DataInputStream in = new DataInputStream(channel.socket().getInputStream());
            long answers = 0;
            while (answers < most) {
                answers += endsStream(in) ? 1 : 0;
            }
            return answers;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}

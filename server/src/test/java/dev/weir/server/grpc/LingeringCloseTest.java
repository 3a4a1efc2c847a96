package dev.weir.server.grpc;

import static dev.weir.server.grpc.RawPeer.DATA;
import static dev.weir.server.grpc.RawPeer.PING;
import static dev.weir.server.grpc.RawPeer.WINDOW_UPDATE;
import static dev.weir.server.grpc.RawPeer.call;
import static dev.weir.server.grpc.RawPeer.frame;
import static dev.weir.server.grpc.RawPeer.hello;
import static dev.weir.server.grpc.RawPeer.join;
import static dev.weir.server.grpc.RawPeer.message;
import static dev.weir.server.grpc.RawPeer.number;
import static dev.weir.server.grpc.RawPeer.open;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How connections end. */
class LingeringCloseTest {
    private static final int CALLS = 900;

    private final CountingDecider decider = new CountingDecider(1_000_000);

    @Test
    void whoTakesNothingAndThenBreaksTheProtocolHoldsNothingAtOnceAndIsClosedOnInAMoment() {
        try (RawPeer peer = RawPeer.introduced(decider)) {
            peer.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                    ReferenceCountUtil.release(message); // as if it lay in a socket's buffer for ever
                }
            });
            peer.send(open(1), frame(DATA, 0, 1, message("v")));
            assertThat(peer.context.buffered().get()).isPositive();
            peer.send(frame(DATA, 0, 0, (byte) 0));
            assertThat(peer.context.buffered()).hasValue(0);
            assertThat(peer.isOpen()).isTrue();
            peer.channel.advanceTimeBy(1, TimeUnit.SECONDS);
            peer.channel.runScheduledPendingTasks();
            assertThat(peer.isOpen()).isFalse();
        }
    }

    @Test
    void whoeverIsAskedToGoGetsEveryAnswerHoweverSlowlyItReads() throws Exception {
        try (TestGrpcServer rig = new TestGrpcServer(decider);
                Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4 << 10);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(20_000);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.port()));
            socket.getOutputStream().write(join(hello(4, 1 << 24), number(WINDOW_UPDATE, 0, 1 << 24)));
            Reader reader = new Reader(socket);
            reader.untilItIs(RawPeer.SETTINGS);
            var drained = rig.server.drain(Duration.ofSeconds(20)).toCompletableFuture();
            byte[] ping = reader.untilItIs(PING);

            ByteArrayOutputStream asked = new ByteArrayOutputStream();
            for (int i = 0; i < CALLS; i++) {
                asked.writeBytes(call(2 * i + 1, "v"));
            }
            asked.writeBytes(frame(PING, 1, 0, ping));
            socket.getOutputStream().write(asked.toByteArray());
            reader.toTheEnd();
            assertThat(reader.answers).isEqualTo(CALLS);
            assertThat(drained).isNotDone();
            socket.shutdownOutput();
            assertThat(drained).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    /** Reads frame by frame, and opens the connection's window for every one of DATA as a client does. */
    private static final class Reader {
        private final Socket socket;
        private final DataInputStream in;
        private int answers;

        Reader(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new DataInputStream(socket.getInputStream());
        }

        byte[] untilItIs(int type) throws IOException {
            RawPeer.Frame next = next(in.read());
            while (next.type() != type) {
                next = next(in.read());
            }
            return next.payload();
        }

        void toTheEnd() throws IOException {
            for (int first = in.read(); first >= 0; first = in.read()) {
                RawPeer.Frame next = next(first);
                if (next.type() == DATA) {
                    socket.getOutputStream().write(number(WINDOW_UPDATE, 0, next.payload().length));
                } else if (next.type() == RawPeer.HEADERS && (next.flags() & RawPeer.END_STREAM) != 0) {
                    answers++;
                }
            }
        }

        private RawPeer.Frame next(int first) throws IOException {
            byte[] payload = new byte[first << 16 | in.readUnsignedShort()];
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            in.readFully(payload);
            return new RawPeer.Frame(type, flags, stream, payload);
        }
    }
}

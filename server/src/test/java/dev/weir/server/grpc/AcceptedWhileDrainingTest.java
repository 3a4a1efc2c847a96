package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A connection that the kernel had accepted when the server began to drain. */
class AcceptedWhileDrainingTest {

    @Test
    void itsCallsAreAnsweredAndItIsSentElsewhere() {
        CountingDecider decider = new CountingDecider(3);
        try (TestGrpcServer rig = new TestGrpcServer(decider)) {
            var drained = rig.server.drain(Duration.ofSeconds(20)).toCompletableFuture();
            EmbeddedChannel late = new EmbeddedChannel(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    rig.server.connected(channel);
                }
            });
            late.runPendingTasks();
            assertThat(late.isOpen()).isTrue();
            assertThat(types(late)).contains(Http2FrameTypes.SETTINGS, Http2FrameTypes.GO_AWAY, Http2FrameTypes.PING);
            late.writeInbound(Unpooled.wrappedBuffer(RawPeer.hello(), RawPeer.call(1, "v")));
            late.runPendingTasks();
            assertThat(types(late)).contains(Http2FrameTypes.HEADERS, Http2FrameTypes.DATA);
            assertThat(decider.decided).hasValue(1);
            late.finishAndReleaseAll();
            assertThat(drained).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    /** The types of the frames that were sent. */
    private static List<Byte> types(EmbeddedChannel channel) {
        List<Byte> types = new ArrayList<>();
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            all.writeBytes(out);
            out.release();
        }
        while (all.isReadable()) {
            int length = all.readUnsignedMedium();
            types.add(all.readByte());
            all.skipBytes(5 + length);
        }
        return types;
    }
}

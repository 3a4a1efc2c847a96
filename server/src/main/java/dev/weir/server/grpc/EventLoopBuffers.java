package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import dev.weir.server.grpc.codec.CachingTextDecoder;
import dev.weir.server.grpc.codec.RlsReader;
import dev.weir.server.grpc.codec.RlsWriter;
import io.netty.buffer.ByteBuf;

/** The reused buffers of an event loop for deciding requests. Reads and calls on one loop never overlap. */
final class EventLoopBuffers {
    /** The largest read of Netty by default. */
    private static final int LARGEST_READ = 64 << 10;

    final Request request = Request.to("");
    final MutableDecision decision = new MutableDecision();
    final RlsReader reader;
    final RlsWriter writer;
    final AnswerFrames answer = new AnswerFrames();
    private final byte[] input = new byte[LARGEST_READ];

    EventLoopBuffers(GrpcServerSettings settings) {
        this.reader = new RlsReader(
                settings.caps(), new CachingTextDecoder(), settings.rls().calendarMonths());
        this.writer = new RlsWriter(settings.rls());
    }

    /**
     * The bytes of a read, valid until the next. One copy into an array is cheaper than a bounds check for every byte
     * of a buffer.
     */
    byte[] input(ByteBuf in) {
        int length = in.readableBytes();
        byte[] to = length <= input.length ? input : new byte[length];
        in.getBytes(in.readerIndex(), to, 0, length);
        return to;
    }
}

package dev.weir.server.grpc;

import dev.weir.model.Decision;
import dev.weir.model.Request;
import io.netty.buffer.ByteBuf;

/** What an event loop needs to decide a request, filled again and again: calls on one loop never overlap. */
final class Scratch {
    private static final int KEPT = 64 << 10;

    final Request request = Request.to("");
    final Decision decision = new Decision();
    final RlsReader reader;
    final RlsWriter writer;
    final AnswerFrames answer = new AnswerFrames();
    private byte[] bytes = new byte[1_024];

    Scratch(LaneSettings settings) {
        this.reader = new RlsReader(settings.caps(), new Texts());
        this.writer = new RlsWriter(settings.rls());
    }

    /** Reads the message into {@link #request}. One copy into an array is cheaper than a check for every byte of a buffer. */
    void read(ByteBuf in, int index, int length) throws CallError {
        byte[] to = bytes;
        if (length > to.length) {
            to = new byte[Math.max(length, to.length * 2)];
            if (to.length <= KEPT) {
                bytes = to;
            }
        }
        in.getBytes(index, to, 0, length);
        reader.read(to, 0, length, request);
    }
}

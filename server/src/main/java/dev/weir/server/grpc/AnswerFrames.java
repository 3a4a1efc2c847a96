package dev.weir.server.grpc;

import dev.weir.server.grpc.codec.ProtobufWriter;
import dev.weir.server.grpc.http2.AnswerHeaderBlocks;
import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.http2.FrameOutput;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.lang.invoke.VarHandle;

/**
 * Writes the three frames of an ordinary answer: HEADERS, DATA with one message, and HEADERS that end the stream. They
 * are assembled in one array, in which only the message and a few numbers change between answers, and leave it in one
 * copy.
 */
final class AnswerFrames {
    private static final VarHandle INT = FrameDecoder.INT;
    private static final int STREAM = 5;
    private static final int PREFIX = 5;
    private static final byte[] HEAD_FRAME = headers(AnswerHeaderBlocks.HEAD, 0x4);
    private static final byte[] TRAILERS_FRAME = headers(AnswerHeaderBlocks.TRAILERS_OK, 0x4 | 0x1);
    private static final int DATA_FRAME = HEAD_FRAME.length;
    private static final int CONTENT = DATA_FRAME + FrameDecoder.HEADER;
    private static final int MESSAGE = CONTENT + PREFIX;
    private static final int MAX_KEPT = 64 << 10;

    private ProtobufWriter writer = new ProtobufWriter(0);

    /** The writer for the message of the next answer. */
    ProtobufWriter message() {
        int room = writer.array().length;
        if (room == 0 || room > MAX_KEPT) {
            writer = new ProtobufWriter(1_024);
            writer.put(HEAD_FRAME);
        }
        writer.size(MESSAGE);
        return writer;
    }

    /** The bytes that count against the flow control windows: the message and its prefix. */
    int length() {
        return writer.size() - CONTENT;
    }

    /** Appends the whole answer on {@code stream}. */
    void writeTo(FrameOutput output, int stream) {
        int length = length();
        int trailers = writer.size();
        writer.room(TRAILERS_FRAME.length).put(TRAILERS_FRAME);
        byte[] all = writer.array();
        INT.set(all, STREAM, stream);
        INT.set(all, DATA_FRAME, length << 8 | Http2FrameTypes.DATA);
        all[DATA_FRAME + 4] = 0;
        INT.set(all, DATA_FRAME + STREAM, stream);
        prefix(length);
        INT.set(all, trailers + STREAM, stream);
        output.room(writer.size()).writeBytes(all, 0, writer.size());
    }

    /** Appends only the message and its prefix, for an answer that must be sent in pieces. */
    void writeContentTo(ByteBuf out) {
        prefix(length());
        out.writeBytes(writer.array(), CONTENT, length());
    }

    /** Writes gRPC's prefix: the flag "not compressed" and the length. */
    private void prefix(int length) {
        writer.array()[CONTENT] = 0;
        INT.set(writer.array(), CONTENT + 1, length - PREFIX);
    }

    private static byte[] headers(byte[] block, int flags) {
        byte[] frame = new byte[FrameDecoder.HEADER + block.length];
        INT.set(frame, 0, block.length << 8 | Http2FrameTypes.HEADERS);
        frame[4] = (byte) flags;
        System.arraycopy(block, 0, frame, FrameDecoder.HEADER, block.length);
        return frame;
    }
}

package dev.weir.server.grpc;

import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.rls.RequestCaps;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * gRPC's messages out of DATA frames: a byte that says whether it is compressed, four of length, the message. Most come whole in
 * the one frame that also ends the request and are read where they lie; the others gather on their stream.
 */
final class MessageDeframer {
    private static final int PREFIX = 5;

    private final RequestCaps caps;
    private final ReceiveFlow receive;
    private final CallResponder answers;

    MessageDeframer(RequestCaps caps, ReceiveFlow receive, CallResponder answers) {
        this.caps = caps;
        this.receive = receive;
        this.answers = answers;
    }

    /**
     * More of a request has arrived. One that has a single message is handed over only when it has ended, so that until then
     * it can be cancelled.
     */
    void more(GrpcStream stream, byte[] in, int index, int length) {
        try {
            gather(stream, in, index, length);
            if (stream.method.oneMessage()) {
                check(stream);
            } else {
                handOver(stream);
            }
        } catch (GrpcCallException e) {
            answers.fail(stream, e);
        }
    }

    /** The last of a request has arrived. */
    void last(GrpcStream stream, byte[] in, int index, int length) {
        if (stream.body == null && stream.method.oneMessage() && isWhole(in, index, length)) {
            message(stream, in, index, length);
            return;
        }
        more(stream, in, index, length);
        if (!stream.deaf) {
            ended(stream);
        }
    }

    /** The request has ended, and no message of it has been handed over yet if it is for one only. */
    void ended(GrpcStream stream) {
        ByteBuf body = stream.body;
        try {
            if (!stream.method.oneMessage()) {
                if (body != null) {
                    throw ProtobufReader.malformed("the request ended inside a message");
                }
                answers.streamEnded(stream);
            } else if (body == null) {
                throw new GrpcCallException(GrpcStatus.UNIMPLEMENTED, "a request without a message (expected: one)");
            } else {
                int index = body.arrayOffset() + body.readerIndex();
                if (!isWhole(body.array(), index, body.readableBytes())) {
                    throw ProtobufReader.malformed("the request ended inside a message");
                }
                message(stream, body.array(), index, body.readableBytes());
            }
        } catch (GrpcCallException e) {
            answers.fail(stream, e);
        }
    }

    private void message(GrpcStream stream, byte[] in, int index, int length) {
        if (stream.method == GrpcMethod.SHOULD_RATE_LIMIT) {
            answers.decide(stream, in, index + PREFIX, length - PREFIX);
        } else {
            answers.aside(stream, Arrays.copyOfRange(in, index + PREFIX, index + length));
        }
    }

    private boolean isWhole(byte[] in, int index, int length) {
        return length >= PREFIX
                && length - PREFIX <= caps.bytes()
                && in[index] == 0
                && (int) FrameDecoder.INT.get(in, index + 1) == length - PREFIX;
    }

    private void gather(GrpcStream stream, byte[] in, int index, int length) throws GrpcCallException {
        if (length == 0) {
            return;
        }
        receive.charge(stream, length);
        ByteBuf body = stream.body;
        if (body == null) {
            // Not from the pool, which would keep the memory of a flood.
            body = Unpooled.buffer(Math.max(256, length));
            stream.body = body;
        }
        body.writeBytes(in, index, length);
    }

    /** What has gathered must be one message, or the beginning of one. */
    private void check(GrpcStream stream) throws GrpcCallException {
        ByteBuf body = stream.body;
        if (body == null || body.readableBytes() < PREFIX) {
            return;
        }
        if (body.readableBytes() > PREFIX + lengthOf(body)) {
            throw new GrpcCallException(GrpcStatus.UNIMPLEMENTED, "a request of several messages (expected: one)");
        }
    }

    /** Hands over every whole message of a stream of them. */
    private void handOver(GrpcStream stream) throws GrpcCallException {
        ByteBuf body = stream.body;
        while (body != null && !stream.deaf && body.readableBytes() >= PREFIX) {
            int length = lengthOf(body);
            if (body.readableBytes() < PREFIX + length) {
                return;
            }
            int start = body.readerIndex() + PREFIX;
            body.readerIndex(start + length);
            byte[] message = new byte[length];
            body.getBytes(start, message);
            receive.discharge(stream, PREFIX + length);
            if (!body.isReadable()) {
                body.release();
                stream.body = null;
            } else {
                body.discardSomeReadBytes();
            }
            answers.aside(stream, message);
            body = stream.body;
        }
    }

    private int lengthOf(ByteBuf body) throws GrpcCallException {
        int compressed = body.getByte(body.readerIndex());
        if (compressed != 0) {
            throw compressed == 1
                    ? new GrpcCallException(
                            GrpcStatus.INTERNAL, "a message marked as compressed, without a grpc-encoding")
                    : ProtobufReader.malformed("neither compressed nor not");
        }
        long length = body.getUnsignedInt(body.readerIndex() + 1);
        if (length > caps.bytes()) {
            throw new GrpcCallException(
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "bytes of a message: " + length + " (expected: <= " + caps.bytes() + ")");
        }
        return (int) length;
    }
}

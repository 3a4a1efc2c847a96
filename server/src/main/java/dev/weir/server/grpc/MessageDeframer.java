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
 * Extracts gRPC messages from DATA frames. Each has a compression flag of one byte, a length of four bytes, and the
 * message. Most messages arrive whole in the frame that ends the request and are read in place; others are collected on
 * their stream.
 */
final class MessageDeframer {
    private static final int PREFIX = 5;

    private final RequestCaps caps;
    private final ReceiveFlow receive;
    private final CallResponder responder;

    MessageDeframer(RequestCaps caps, ReceiveFlow receive, CallResponder responder) {
        this.caps = caps;
        this.receive = receive;
        this.responder = responder;
    }

    /**
     * Adds data of a request that has not ended. A single-message request is passed on only at its end, so that it can
     * be cancelled until then.
     */
    void more(GrpcStream stream, byte[] in, int index, int length) {
        try {
            collect(stream, in, index, length);
            if (stream.method.oneMessage()) {
                check(stream);
            } else {
                passOn(stream);
            }
        } catch (GrpcCallException e) {
            responder.fail(stream, e);
        }
    }

    /** Adds the last data of a request. */
    void last(GrpcStream stream, byte[] in, int index, int length) {
        if (stream.body == null && stream.method.oneMessage() && isWhole(in, index, length)) {
            message(stream, in, index, length);
            return;
        }
        more(stream, in, index, length);
        if (!stream.discarding) {
            ended(stream);
        }
    }

    /** Handles the end of a request. A single-message request has not been passed on yet. */
    void ended(GrpcStream stream) {
        ByteBuf body = stream.body;
        try {
            if (!stream.method.oneMessage()) {
                if (body != null) {
                    throw ProtobufReader.malformed("the request ended within a message");
                }
                responder.streamEnded(stream);
            } else if (body == null) {
                throw new GrpcCallException(GrpcStatus.UNIMPLEMENTED, "no message in the request (expected: one)");
            } else {
                int index = body.arrayOffset() + body.readerIndex();
                if (!isWhole(body.array(), index, body.readableBytes())) {
                    throw ProtobufReader.malformed("the request ended within a message");
                }
                message(stream, body.array(), index, body.readableBytes());
            }
        } catch (GrpcCallException e) {
            responder.fail(stream, e);
        }
    }

    private void message(GrpcStream stream, byte[] in, int index, int length) {
        if (stream.method == GrpcMethod.SHOULD_RATE_LIMIT) {
            responder.decide(stream, in, index + PREFIX, length - PREFIX);
        } else {
            responder.service(stream, Arrays.copyOfRange(in, index + PREFIX, index + length));
        }
    }

    private boolean isWhole(byte[] in, int index, int length) {
        return length >= PREFIX
                && length - PREFIX <= caps.bytes()
                && in[index] == 0
                && (int) FrameDecoder.INT.get(in, index + 1) == length - PREFIX;
    }

    private void collect(GrpcStream stream, byte[] in, int index, int length) throws GrpcCallException {
        if (length == 0) {
            return;
        }
        receive.charge(stream, length);
        ByteBuf body = stream.body;
        if (body == null) {
            // Not pooled: the pool would keep the memory after a flood.
            body = Unpooled.buffer(Math.max(256, length));
            stream.body = body;
        }
        body.writeBytes(in, index, length);
    }

    /** Checks that the collected bytes are one message, or the start of one. */
    private void check(GrpcStream stream) throws GrpcCallException {
        ByteBuf body = stream.body;
        if (body == null || body.readableBytes() < PREFIX) {
            return;
        }
        if (body.readableBytes() > PREFIX + lengthOf(body)) {
            throw new GrpcCallException(GrpcStatus.UNIMPLEMENTED, "several messages in the request (expected: one)");
        }
    }

    /** Passes on every whole message of a streaming call. */
    private void passOn(GrpcStream stream) throws GrpcCallException {
        ByteBuf body = stream.body;
        while (body != null && !stream.discarding && body.readableBytes() >= PREFIX) {
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
            responder.service(stream, message);
            body = stream.body;
        }
    }

    private int lengthOf(ByteBuf body) throws GrpcCallException {
        int compressed = body.getByte(body.readerIndex());
        if (compressed != 0) {
            throw compressed == 1
                    ? new GrpcCallException(GrpcStatus.INTERNAL, "compressed message without grpc-encoding")
                    : ProtobufReader.malformed("invalid compression flag (expected: 0 or 1)");
        }
        long length = body.getUnsignedInt(body.readerIndex() + 1);
        if (length > caps.bytes()) {
            throw new GrpcCallException(
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "message size: " + length + " bytes (expected: <= " + caps.bytes() + ")");
        }
        return (int) length;
    }
}

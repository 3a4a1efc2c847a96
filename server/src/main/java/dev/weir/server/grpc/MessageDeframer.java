package dev.weir.server.grpc;

import dev.weir.server.grpc.codec.FieldBoundary;
import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.rls.RequestCaps;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Extracts gRPC messages from DATA frames. Each has a compression flag of one byte, a length of four bytes, and the
 * message. Most messages arrive whole in the frame that ends the request and are read in place; others are collected on
 * their stream. A long report of Envoy's buckets is never collected: it is passed on in parts, as messages of whole fields.
 */
final class MessageDeframer {
    private static final int PREFIX = 5;

    /** The length from which a report is passed on in parts, and about the length of a part. */
    private static final int PART = 32 << 10;

    /** The longest report: a million buckets. */
    private static final int MOST_REPORT = 64 << 20;

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
                if (body != null || stream.partsLeft > 0) {
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

    /** Passes on every whole message of a streaming call, and the whole fields of a report in parts. */
    private void passOn(GrpcStream stream) throws GrpcCallException {
        ByteBuf body = stream.body;
        while (body != null && !stream.discarding) {
            if (stream.partsLeft == 0 && body.readableBytes() < PREFIX) {
                return;
            }
            if (stream.partsLeft == 0
                    && stream.method == GrpcMethod.QUOTA_STREAM
                    && lengthOf(body, MOST_REPORT) > PART) {
                stream.partsLeft = lengthOf(body, MOST_REPORT);
                drop(stream, body, PREFIX);
            } else {
                byte[] message = stream.partsLeft > 0 ? part(stream, body) : whole(stream, body);
                if (message == null) {
                    return;
                }
                responder.service(stream, message);
            }
            body = stream.body;
        }
    }

    /** Takes the next message if it is whole; else null. */
    private byte @Nullable [] whole(GrpcStream stream, ByteBuf body) throws GrpcCallException {
        int length = lengthOf(body);
        if (body.readableBytes() < PREFIX + length) {
            return null;
        }
        byte[] message = bytes(body, PREFIX, length);
        drop(stream, body, PREFIX + length);
        return message;
    }

    /** Takes whole fields of a report, if there are enough or if they are the last; else null. */
    private byte @Nullable [] part(GrpcStream stream, ByteBuf body) throws GrpcCallException {
        int there = Math.min(body.readableBytes(), stream.partsLeft);
        boolean last = there == stream.partsLeft;
        if (there < PART && !last) {
            return null;
        }
        int index = body.arrayOffset() + body.readerIndex();
        int length = FieldBoundary.wholeFields(body.array(), index, index + there);
        if (last && length < there) {
            throw ProtobufReader.malformed("the message ends within a field");
        }
        if (length == 0) {
            if (there > caps.bytes()) {
                throw new GrpcCallException(
                        GrpcStatus.RESOURCE_EXHAUSTED,
                        "a bucket: more than " + caps.bytes() + " bytes (expected: <= " + caps.bytes() + ")");
            }
            return null;
        }
        byte[] fields = bytes(body, 0, length);
        stream.partsLeft -= length;
        drop(stream, body, length);
        return fields;
    }

    private static byte[] bytes(ByteBuf body, int offset, int length) {
        byte[] bytes = new byte[length];
        body.getBytes(body.readerIndex() + offset, bytes);
        return bytes;
    }

    /** Removes bytes that were passed on. */
    private void drop(GrpcStream stream, ByteBuf body, int length) {
        body.skipBytes(length);
        receive.discharge(stream, length);
        if (body.isReadable()) {
            body.discardSomeReadBytes();
        } else {
            body.release();
            stream.body = null;
        }
    }

    private int lengthOf(ByteBuf body) throws GrpcCallException {
        return lengthOf(body, caps.bytes());
    }

    private static int lengthOf(ByteBuf body, int most) throws GrpcCallException {
        int compressed = body.getByte(body.readerIndex());
        if (compressed != 0) {
            throw compressed == 1
                    ? new GrpcCallException(GrpcStatus.INTERNAL, "compressed message without grpc-encoding")
                    : ProtobufReader.malformed("invalid compression flag (expected: 0 or 1)");
        }
        long length = body.getUnsignedInt(body.readerIndex() + 1);
        if (length > most) {
            throw new GrpcCallException(
                    GrpcStatus.RESOURCE_EXHAUSTED, "message size: " + length + " bytes (expected: <= " + most + ")");
        }
        return (int) length;
    }
}

package dev.weir.server.grpc.codec;

import dev.weir.server.grpc.protocol.GrpcCallException;

/**
 * Finds where the fields of a protobuf message end, so that a long message can be read in parts: any run of whole fields is
 * a message, too.
 */
public final class FieldBoundary {
    private FieldBoundary() {}

    /**
     * The bytes from {@code from} that are whole fields, as many as lie before {@code to}; 0 if not even the first field
     * does.
     */
    public static int wholeFields(byte[] bytes, int from, int to) throws GrpcCallException {
        int whole = from;
        while (whole < to) {
            int end = end(bytes, whole, to);
            if (end < 0 || end > to) {
                break;
            }
            whole = end;
        }
        return whole - from;
    }

    /** Where the field at {@code at} ends, perhaps behind {@code to}; -1 if that is not known yet. */
    private static int end(byte[] bytes, int at, int to) throws GrpcCallException {
        int tagEnd = varintEnd(bytes, at, to);
        if (tagEnd < 0) {
            return -1;
        }
        return switch (bytes[at] & 7) {
            case ProtobufReader.VARINT -> varintEnd(bytes, tagEnd, to);
            case ProtobufReader.FIXED64 -> tagEnd + Long.BYTES;
            case ProtobufReader.FIXED32 -> tagEnd + Integer.BYTES;
            case ProtobufReader.BYTES -> endOfBytes(bytes, tagEnd, to);
            default -> throw ProtobufReader.malformed("a group in a long message");
        };
    }

    private static int endOfBytes(byte[] bytes, int at, int to) throws GrpcCallException {
        int start = varintEnd(bytes, at, to);
        if (start < 0) {
            return -1;
        }
        long length = new ProtobufReader().over(bytes, at, start).varint();
        if (length < 0 || length > Integer.MAX_VALUE - start) {
            throw ProtobufReader.malformed("length beyond the end");
        }
        return start + (int) length;
    }

    private static int varintEnd(byte[] bytes, int at, int to) throws GrpcCallException {
        for (int i = at; i < to; i++) {
            if (bytes[i] >= 0) {
                return i + 1;
            }
            if (i - at == 9) {
                throw ProtobufReader.malformed("number longer than ten bytes");
            }
        }
        return -1;
    }
}

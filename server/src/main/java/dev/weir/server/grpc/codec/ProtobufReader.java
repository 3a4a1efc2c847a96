package dev.weir.server.grpc.codec;

import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import io.netty.buffer.ByteBuf;

/** Reads protobuf's wire format from an array: a cursor over one message and the messages nested in it. */
public final class ProtobufReader {
    public static final int VARINT = 0;
    static final int FIXED64 = 1;
    public static final int BYTES = 2;
    static final int START_GROUP = 3;
    static final int END_GROUP = 4;
    static final int FIXED32 = 5;

    /** The nesting limit of protobuf's own parsers. */
    private static final int MAX_DEPTH = 100;

    private byte[] bytes = new byte[0];
    private int position;
    private int limit;

    /** Starts at {@code from} and ends before {@code to}. */
    public ProtobufReader over(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.position = from;
        this.limit = to;
        return this;
    }

    public boolean more() {
        return position < limit;
    }

    public int position() {
        return position;
    }

    public byte[] bytes() {
        return bytes;
    }

    /** The next field's number and type: {@code number << 3 | type}. */
    public int tag() throws GrpcCallException {
        long tag = varint();
        int number = (int) tag >>> 3;
        if (tag >>> 32 != 0 || number == 0) {
            throw malformed("field number out of range");
        }
        return (int) tag;
    }

    public long varint() throws GrpcCallException {
        if (position < limit && bytes[position] >= 0) {
            return bytes[position++];
        }
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (position == limit) {
                throw malformed("truncated number");
            }
            byte b = bytes[position++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw malformed("number longer than ten bytes");
    }

    /** The low 32 bits of a number, unsigned, as protobuf reads a {@code uint32}. */
    long uint32() throws GrpcCallException {
        return varint() & 0xFFFF_FFFFL;
    }

    /** Reads a {@code uint64}; a value beyond {@code Long.MAX_VALUE} becomes that. */
    public long saturated() throws GrpcCallException {
        long value = varint();
        return value < 0 ? Long.MAX_VALUE : value;
    }

    /** The length of the text, bytes or message that begins at {@link #position}. */
    public int length() throws GrpcCallException {
        long length = varint();
        if (length < 0 || length > limit - position) {
            throw malformed("length beyond the end");
        }
        return (int) length;
    }

    /** Enters a nested message and returns the limit to {@linkplain #leave leave} with. */
    public int enter() throws GrpcCallException {
        int length = length();
        int outer = limit;
        limit = position + length;
        return outer;
    }

    public void leave(int outer) {
        limit = outer;
    }

    public void skipBytes(int length) {
        position += length;
    }

    /** Skips an unknown field. */
    public void skip(int tag) throws GrpcCallException {
        skip(tag, 0);
    }

    private void skip(int tag, int depth) throws GrpcCallException {
        switch (tag & 7) {
            case VARINT -> varint();
            case FIXED64 -> fixed(8);
            case FIXED32 -> fixed(4);
            case BYTES -> skipBytes(length());
            case START_GROUP -> {
                if (depth == MAX_DEPTH) {
                    throw malformed("groups nested deeper than " + MAX_DEPTH);
                }
                int inner = tag();
                while ((inner & 7) != END_GROUP) {
                    skip(inner, depth + 1);
                    inner = tag();
                }
                if (inner >>> 3 != tag >>> 3) {
                    throw malformed("mismatched end of a group");
                }
            }
            default -> throw malformed("unknown wire type");
        }
    }

    private void fixed(int width) throws GrpcCallException {
        if (limit - position < width) {
            throw malformed("truncated number");
        }
        position += width;
    }

    public static GrpcCallException malformed(String what) {
        return new GrpcCallException(GrpcStatus.INVALID_ARGUMENT, "malformed message: " + what);
    }

    /** The encoded size of a number. */
    public static int sizeOf(long value) {
        return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    public static void writeVarint(ByteBuf out, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.writeByte(((int) rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }
}

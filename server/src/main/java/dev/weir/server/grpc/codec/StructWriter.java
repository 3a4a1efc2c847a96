package dev.weir.server.grpc.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a tree of maps, lists, text, numbers and booleans as a {@code google.protobuf.Struct}. Not for the decision
 * path.
 */
final class StructWriter {
    private static final int FIELDS = 1 << 3 | ProtobufReader.BYTES;
    private static final int FIELD_KEY = 1 << 3 | ProtobufReader.BYTES;
    private static final int FIELD_VALUE = 2 << 3 | ProtobufReader.BYTES;
    private static final int VALUES = 1 << 3 | ProtobufReader.BYTES;
    private static final int NULL = 1 << 3 | ProtobufReader.VARINT;
    private static final int NUMBER = 2 << 3 | ProtobufReader.FIXED64;
    private static final int TEXT = 3 << 3 | ProtobufReader.BYTES;
    private static final int BOOL = 4 << 3 | ProtobufReader.VARINT;
    private static final int STRUCT = 5 << 3 | ProtobufReader.BYTES;
    private static final int LIST = 6 << 3 | ProtobufReader.BYTES;

    private StructWriter() {}

    /** Appends the length of the struct and the struct. */
    static void writeStruct(ByteBuf out, Map<?, ?> members) {
        ByteBuf struct = Unpooled.buffer();
        members.forEach((key, value) -> {
            ByteBuf field = Unpooled.buffer();
            field.writeByte(FIELD_KEY);
            text(field, String.valueOf(key));
            field.writeByte(FIELD_VALUE);
            value(field, value);
            struct.writeByte(FIELDS);
            sized(struct, field);
        });
        sized(out, struct);
    }

    private static void value(ByteBuf out, @Nullable Object value) {
        ByteBuf one = Unpooled.buffer();
        if (value instanceof Map<?, ?> map) {
            one.writeByte(STRUCT);
            writeStruct(one, map);
        } else if (value instanceof List<?> list) {
            ByteBuf values = Unpooled.buffer();
            for (Object each : list) {
                values.writeByte(VALUES);
                value(values, each);
            }
            one.writeByte(LIST);
            sized(one, values);
        } else if (value instanceof Number number) {
            one.writeByte(NUMBER);
            one.writeLongLE(Double.doubleToLongBits(number.doubleValue()));
        } else if (value instanceof Boolean truth) {
            one.writeByte(BOOL);
            one.writeByte(truth ? 1 : 0);
        } else if (value == null) {
            one.writeByte(NULL);
            one.writeByte(0);
        } else {
            one.writeByte(TEXT);
            text(one, value.toString());
        }
        sized(out, one);
    }

    private static void text(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ProtobufReader.writeVarint(out, bytes.length);
        out.writeBytes(bytes);
    }

    private static void sized(ByteBuf out, ByteBuf content) {
        ProtobufReader.writeVarint(out, content.readableBytes());
        out.writeBytes(content);
    }
}

package dev.weir.server.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Duration;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.WireFormat;
import dev.weir.server.conformance.RlsReply.Answer;
import dev.weir.server.conformance.RlsReply.CurrentLimit;
import dev.weir.server.conformance.RlsReply.Header;
import dev.weir.server.conformance.RlsReply.Status;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The protocol's messages by their field numbers; an answer with a field that is not in the protocol does not read. */
final class RlsWire {
    private interface Fields {
        void write(CodedOutputStream out) throws IOException;
    }

    private interface Field {
        void read(int number, CodedInputStream in) throws IOException;
    }

    private RlsWire() {}

    static byte[] write(String domain, RlsRequest ask) throws IOException {
        return message(out -> {
            out.writeString(1, ask.domain(domain));
            for (RlsRequest.Descriptor d : ask.descriptors()) {
                out.writeByteArray(2, descriptor(d));
            }
            if (ask.hits() != 0) {
                out.writeUInt32(3, (int) ask.hits());
            }
        });
    }

    private static byte[] descriptor(RlsRequest.Descriptor d) throws IOException {
        return message(out -> {
            for (RlsRequest.Entry e : d.entries()) {
                out.writeByteArray(1, message(entry -> {
                    entry.writeString(1, e.key());
                    entry.writeString(2, e.value());
                }));
            }
            RlsRequest.Given limit = d.limit();
            if (limit != null) {
                out.writeByteArray(2, message(override -> {
                    override.writeUInt32(1, (int) limit.requestsPerUnit());
                    override.writeEnum(2, limit.unit().number);
                }));
            }
            Long hits = d.hits();
            if (hits != null) {
                // An explicit 0 is an empty message, as every protobuf library writes it.
                out.writeByteArray(3, hits == 0 ? new byte[0] : message(value -> value.writeUInt64(1, hits)));
            }
            if (d.negative()) {
                out.writeBool(4, true);
            }
        });
    }

    static Answer read(byte[] bytes) throws IOException {
        List<Status> statuses = new ArrayList<>();
        List<Header> headers = new ArrayList<>();
        ProtocolCode[] code = {ProtocolCode.UNKNOWN};
        JsonObject[] metadata = new JsonObject[1];
        each(CodedInputStream.newInstance(bytes), (number, in) -> {
            switch (number) {
                case 1 -> code[0] = ProtocolCode.of(in.readEnum());
                case 2 -> statuses.add(status(in.readBytes()));
                case 3 -> headers.add(header(in.readBytes()));
                case 6 -> metadata[0] = json(Struct.parseFrom(in.readBytes()));
                default -> throw unexpected("RateLimitResponse", number);
            }
        });
        return new Answer(code[0], statuses, headers, metadata[0]);
    }

    private static Status status(ByteString bytes) throws IOException {
        ProtocolCode[] code = {ProtocolCode.UNKNOWN};
        CurrentLimit[] limit = new CurrentLimit[1];
        long[] remaining = {0};
        Long[] reset = new Long[1];
        each(bytes.newCodedInput(), (number, in) -> {
            switch (number) {
                case 1 -> code[0] = ProtocolCode.of(in.readEnum());
                case 2 -> limit[0] = limit(in.readBytes());
                case 3 -> remaining[0] = Integer.toUnsignedLong(in.readUInt32());
                case 4 -> reset[0] = wholeSeconds(Duration.parseFrom(in.readBytes()));
                default -> throw unexpected("DescriptorStatus", number);
            }
        });
        return new Status(code[0], limit[0], remaining[0], reset[0]);
    }

    private static CurrentLimit limit(ByteString bytes) throws IOException {
        long[] requests = {0};
        ProtocolUnit[] unit = {ProtocolUnit.UNKNOWN};
        String[] name = {""};
        each(bytes.newCodedInput(), (number, in) -> {
            switch (number) {
                case 1 -> requests[0] = Integer.toUnsignedLong(in.readUInt32());
                case 2 -> unit[0] = ProtocolUnit.of(in.readEnum());
                case 3 -> name[0] = in.readStringRequireUtf8();
                default -> throw unexpected("RateLimit", number);
            }
        });
        return new CurrentLimit(requests[0], unit[0], name[0]);
    }

    private static Header header(ByteString bytes) throws IOException {
        String[] header = {"", ""};
        each(bytes.newCodedInput(), (number, in) -> {
            if (number > 2) {
                throw unexpected("HeaderValue", number);
            }
            header[number - 1] = in.readStringRequireUtf8();
        });
        return new Header(header[0], header[1]);
    }

    private static Long wholeSeconds(Duration duration) throws IOException {
        if (duration.getNanos() != 0) {
            throw new IOException(
                    "duration_until_reset: " + duration + " (expected: whole seconds, Envoy cuts the rest off)");
        }
        return duration.getSeconds();
    }

    private static JsonObject json(Struct struct) {
        JsonObject object = new JsonObject();
        struct.getFieldsMap().forEach((key, value) -> object.put(key, json(value)));
        return object;
    }

    private static @Nullable Object json(Value value) {
        return switch (value.getKindCase()) {
            case NUMBER_VALUE -> value.getNumberValue();
            case STRING_VALUE -> value.getStringValue();
            case BOOL_VALUE -> value.getBoolValue();
            case STRUCT_VALUE -> json(value.getStructValue());
            case LIST_VALUE -> json(value.getListValue());
            case NULL_VALUE, KIND_NOT_SET -> null;
        };
    }

    private static JsonArray json(ListValue list) {
        JsonArray array = new JsonArray();
        list.getValuesList().forEach(value -> array.add(json(value)));
        return array;
    }

    private static byte[] message(Fields fields) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        fields.write(out);
        out.flush();
        return bytes.toByteArray();
    }

    private static void each(CodedInputStream in, Field field) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            field.read(WireFormat.getTagFieldNumber(tag), in);
        }
    }

    private static IOException unexpected(String message, int number) {
        return new IOException(message + ": field " + number + " (expected: a field of the protocol)");
    }
}

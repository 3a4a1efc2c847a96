package dev.weir.server.grpc.codec;

import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import dev.weir.server.rls.RlsAnswer;
import dev.weir.server.rls.RlsMetadata;
import dev.weir.server.rls.RlsSettings;
import dev.weir.server.rls.RlsStatus;
import dev.weir.server.rls.ToldDenial;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a {@code RateLimitResponse}. */
public final class RlsWriter {
    private static final int RESPONSE_CODE = 1 << 3 | ProtobufReader.VARINT;
    private static final int RESPONSE_STATUSES = 2 << 3 | ProtobufReader.BYTES;
    private static final int RESPONSE_HEADERS = 3 << 3 | ProtobufReader.BYTES;
    private static final int REQUEST_HEADERS = 4 << 3 | ProtobufReader.BYTES;
    private static final int RAW_BODY = 5 << 3 | ProtobufReader.BYTES;
    private static final int RESPONSE_METADATA = 6 << 3 | ProtobufReader.BYTES;
    private static final int STATUS_CODE = 1 << 3 | ProtobufReader.VARINT;
    private static final int STATUS_LIMIT = 2 << 3 | ProtobufReader.BYTES;
    private static final int STATUS_REMAINING = 3 << 3 | ProtobufReader.VARINT;
    private static final int STATUS_RESET = 4 << 3 | ProtobufReader.BYTES;
    private static final int LIMIT_REQUESTS = 1 << 3 | ProtobufReader.VARINT;
    private static final int LIMIT_UNIT = 2 << 3 | ProtobufReader.VARINT;
    private static final int LIMIT_NAME = 3 << 3 | ProtobufReader.BYTES;
    private static final int SECONDS = 1 << 3 | ProtobufReader.VARINT;
    private static final int HEADER_KEY = 1 << 3 | ProtobufReader.BYTES;
    private static final int HEADER_VALUE = 2 << 3 | ProtobufReader.BYTES;

    /** An upper bound on the size of a status without the name of its limit. */
    private static final int STATUS_ROOM = 64;

    private final RlsAnswer answer;

    public RlsWriter(RlsSettings settings) {
        this.answer = new RlsAnswer(settings);
    }

    /** Appends the answer to a request that had {@code hitsAddend}. */
    public void write(Request request, long hitsAddend, MutableDecision decision, ProtobufWriter out) {
        RlsSettings settings = answer.settings();
        statuses(request, decision, out);
        if (!answer.isPlain() || decision.permits() != null) {
            answer.responseHeaders().forEach((name, value) -> header(out, RESPONSE_HEADERS, name, value));
            answer.requestHeaders().forEach((name, value) -> header(out, REQUEST_HEADERS, name, value));
            body(answer.denial(), out);
            metadata(RlsMetadata.of(request, hitsAddend, decision, settings.dynamicMetadata()), out);
        }
    }

    /** Appends the answer to {@code weir-remote}: the statuses, and all of the decision as metadata. */
    public void writeDetailed(Request request, MutableDecision decision, ProtobufWriter out) {
        statuses(request, decision, out);
        metadata(RlsMetadata.detailed(decision), out);
    }

    private void statuses(Request request, MutableDecision decision, ProtobufWriter out) {
        answer.of(decision, request.descriptors());
        out.room(STATUS_ROOM).number(RESPONSE_CODE, answer.overallCode());
        for (int i = 0; i < answer.size(); i++) {
            status(answer.status(i), out);
        }
    }

    private static void body(@Nullable ToldDenial denial, ProtobufWriter out) {
        if (denial != null) {
            byte[] body = denial.body();
            out.room(STATUS_ROOM + body.length).number(RAW_BODY, body.length);
            out.put(body);
        }
    }

    private static void metadata(@Nullable Map<String, Object> members, ProtobufWriter out) {
        if (members != null) {
            ByteBuf struct = Unpooled.buffer();
            StructWriter.writeStruct(struct, members);
            out.room(1 + struct.readableBytes()).put(RESPONSE_METADATA);
            out.put(ByteBufUtil.getBytes(struct));
        }
    }

    private static void status(RlsStatus status, ProtobufWriter out) {
        long remaining = status.remaining();
        int size = 2 + sizeOf(remaining);
        if (!status.limited()) {
            out.room(STATUS_ROOM).number(RESPONSE_STATUSES, size);
            out.number(STATUS_CODE, status.code());
            out.numberUnlessZero(STATUS_REMAINING, remaining);
            return;
        }
        String name = status.name();
        long requests = status.requestsPerUnit();
        int unit = status.unit().number();
        long reset = status.resetSeconds();
        int nameBytes = ProtobufWriter.sizeOf(name);
        int limitSize = sizeOf(requests) + sizeOf(unit) + (nameBytes == 0 ? 0 : 1 + sized(nameBytes));
        int resetSize = sizeOf(reset);
        out.room(STATUS_ROOM + nameBytes);
        out.number(RESPONSE_STATUSES, size + 1 + sized(limitSize) + (reset == 0 ? 0 : 1 + sized(resetSize)));
        out.number(STATUS_CODE, status.code());
        out.number(STATUS_LIMIT, limitSize);
        out.numberUnlessZero(LIMIT_REQUESTS, requests);
        out.numberUnlessZero(LIMIT_UNIT, unit);
        if (nameBytes > 0) {
            out.text(LIMIT_NAME, name, nameBytes);
        }
        out.numberUnlessZero(STATUS_REMAINING, remaining);
        if (reset != 0) {
            out.number(STATUS_RESET, resetSize);
            out.number(SECONDS, reset);
        }
    }

    private static void header(ProtobufWriter out, int field, String key, String value) {
        int keyBytes = ProtobufWriter.sizeOf(key);
        int valueBytes = ProtobufWriter.sizeOf(value);
        out.room(STATUS_ROOM + keyBytes + valueBytes);
        out.number(field, 1 + sized(keyBytes) + 1 + sized(valueBytes));
        out.text(HEADER_KEY, key, keyBytes);
        out.text(HEADER_VALUE, value, valueBytes);
    }

    /** The size of a number's field with a tag of one byte; 0 for the value 0. */
    private static int sizeOf(long value) {
        return value == 0 ? 0 : 1 + ProtobufReader.sizeOf(value);
    }

    /** The size of a length and of the bytes that follow it. */
    private static int sized(int length) {
        return ProtobufReader.sizeOf(length) + length;
    }
}

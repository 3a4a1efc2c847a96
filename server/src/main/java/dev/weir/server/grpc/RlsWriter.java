package dev.weir.server.grpc;

import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.server.rls.RlsAnswer;
import dev.weir.server.rls.RlsMetadata;
import dev.weir.server.rls.RlsSettings;
import dev.weir.server.rls.RlsStatus;
import dev.weir.server.rls.RlsUnit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** Writes a {@code RateLimitResponse} straight into the connection's buffer. */
final class RlsWriter {
    private static final int RESPONSE_CODE = 1 << 3 | Wire.VARINT;
    private static final int RESPONSE_STATUSES = 2 << 3 | Wire.BYTES;
    private static final int RESPONSE_HEADERS = 3 << 3 | Wire.BYTES;
    private static final int RESPONSE_METADATA = 6 << 3 | Wire.BYTES;
    private static final int STATUS_CODE = 1 << 3 | Wire.VARINT;
    private static final int STATUS_LIMIT = 2 << 3 | Wire.BYTES;
    private static final int STATUS_REMAINING = 3 << 3 | Wire.VARINT;
    private static final int STATUS_RESET = 4 << 3 | Wire.BYTES;
    private static final int LIMIT_REQUESTS = 1 << 3 | Wire.VARINT;
    private static final int LIMIT_UNIT = 2 << 3 | Wire.VARINT;
    private static final int LIMIT_NAME = 3 << 3 | Wire.BYTES;
    private static final int SECONDS = 1 << 3 | Wire.VARINT;
    private static final int HEADER_KEY = 1 << 3 | Wire.BYTES;
    private static final int HEADER_VALUE = 2 << 3 | Wire.BYTES;

    private final RlsAnswer answer;

    RlsWriter(RlsSettings settings) {
        this.answer = new RlsAnswer(settings);
    }

    /** Appends the answer to a request that came with {@code hitsAddend}. */
    void write(Request request, long hitsAddend, Decision decision, ByteBuf out) {
        RlsSettings settings = answer.settings();
        answer.of(decision, request.descriptors());
        number(out, RESPONSE_CODE, answer.overallCode());
        for (int i = 0; i < answer.size(); i++) {
            status(answer.status(i), out);
        }
        int speaker = answer.headersOf();
        if (speaker >= 0) {
            RlsStatus status = answer.status(speaker);
            header(out, settings.limitHeader(), status.requestsPerUnit());
            header(out, settings.remainingHeader(), status.remaining());
            header(out, settings.resetHeader(), status.resetSeconds());
        }
        if (settings.dynamicMetadata()) {
            out.writeByte(RESPONSE_METADATA);
            StructWriter.writeStruct(out, RlsMetadata.of(request, hitsAddend, decision));
        }
    }

    private static void status(RlsStatus status, ByteBuf out) {
        long remaining = status.remaining();
        int size = 2 + sizeOf(remaining);
        out.writeByte(RESPONSE_STATUSES);
        if (!status.limited()) {
            Wire.writeVarint(out, size);
            number(out, STATUS_CODE, status.code());
            numberUnlessZero(out, STATUS_REMAINING, remaining);
            return;
        }
        String name = status.name();
        long requests = status.requestsPerUnit();
        RlsUnit unit = status.unit();
        int nameBytes = name.isEmpty() ? 0 : ByteBufUtil.utf8Bytes(name);
        int limitSize = sizeOf(requests) + sizeOf(unit.number()) + (nameBytes == 0 ? 0 : 1 + sized(nameBytes));
        int resetSize = sizeOf(status.resetSeconds());
        Wire.writeVarint(out, size + 1 + sized(limitSize) + 1 + sized(resetSize));
        number(out, STATUS_CODE, status.code());
        out.writeByte(STATUS_LIMIT);
        Wire.writeVarint(out, limitSize);
        numberUnlessZero(out, LIMIT_REQUESTS, requests);
        numberUnlessZero(out, LIMIT_UNIT, unit.number());
        if (nameBytes > 0) {
            out.writeByte(LIMIT_NAME);
            Wire.writeVarint(out, nameBytes);
            ByteBufUtil.writeUtf8(out, name);
        }
        numberUnlessZero(out, STATUS_REMAINING, remaining);
        out.writeByte(STATUS_RESET);
        Wire.writeVarint(out, resetSize);
        numberUnlessZero(out, SECONDS, status.resetSeconds());
    }

    private static void header(ByteBuf out, String key, long value) {
        String digits = Long.toString(value);
        int keyBytes = ByteBufUtil.utf8Bytes(key);
        out.writeByte(RESPONSE_HEADERS);
        Wire.writeVarint(out, 1 + sized(keyBytes) + 1 + sized(digits.length()));
        out.writeByte(HEADER_KEY);
        Wire.writeVarint(out, keyBytes);
        ByteBufUtil.writeUtf8(out, key);
        out.writeByte(HEADER_VALUE);
        Wire.writeVarint(out, digits.length());
        ByteBufUtil.writeAscii(out, digits);
    }

    /** A number's field with a tag of one byte; nothing for 0. */
    private static int sizeOf(long value) {
        return value == 0 ? 0 : 1 + Wire.sizeOf(value);
    }

    /** A length and what it is the length of. */
    private static int sized(int length) {
        return Wire.sizeOf(length) + length;
    }

    private static void numberUnlessZero(ByteBuf out, int tag, long value) {
        if (value != 0) {
            number(out, tag, value);
        }
    }

    private static void number(ByteBuf out, int tag, long value) {
        out.writeByte(tag);
        Wire.writeVarint(out, value);
    }
}

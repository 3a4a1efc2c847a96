package dev.weir.grpc;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes {@code grpc-status-details-bin}: a {@code google.rpc.Status} with {@code RetryInfo} and {@code QuotaFailure}. By
 * hand, so that a server needs no protobuf for it.
 */
final class ErrorDetails {
    private static final String RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";
    private static final String QUOTA_FAILURE = "type.googleapis.com/google.rpc.QuotaFailure";
    private static final long NANOS = 1_000_000_000;

    private ErrorDetails() {}

    /** A violated quota: whose it is, and why it denies. */
    record Violation(String subject, String description) {}

    /**
     * Writes the status.
     *
     * @param retryNanos the exact wait after which the call passes; 0 if it is unknown or never comes
     */
    static byte[] of(int code, String message, long retryNanos, List<Violation> violations) {
        Message status = new Message().number(1, code).text(2, message);
        if (retryNanos > 0) {
            Message delay = new Message().number(1, retryNanos / NANOS).number(2, retryNanos % NANOS);
            status.message(3, any(RETRY_INFO, new Message().message(1, delay)));
        }
        if (!violations.isEmpty()) {
            Message failure = new Message();
            for (Violation each : violations) {
                failure.message(1, new Message().text(1, each.subject).text(2, each.description));
            }
            status.message(3, any(QUOTA_FAILURE, failure));
        }
        return status.out.toByteArray();
    }

    private static Message any(String type, Message value) {
        return new Message().text(1, type).message(2, value);
    }

    /** A protobuf message in the making. */
    private static final class Message {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Message number(int field, long value) {
            if (value != 0) {
                varint((long) field << 3);
                varint(value);
            }
            return this;
        }

        Message text(int field, String value) {
            return value.isEmpty() ? this : bytes(field, value.getBytes(StandardCharsets.UTF_8));
        }

        Message message(int field, Message value) {
            return bytes(field, value.out.toByteArray());
        }

        private Message bytes(int field, byte[] value) {
            varint((long) field << 3 | 2);
            varint(value.length);
            out.writeBytes(value);
            return this;
        }

        private void varint(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                out.write((int) (rest | 0x80));
                rest >>>= 7;
            }
            out.write((int) rest);
        }
    }
}

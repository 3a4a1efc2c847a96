package dev.weir.server.grpc.http2;

import dev.weir.server.grpc.protocol.GrpcStatus;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Encodes the header blocks of answers in HPACK without the dynamic table. The bytes are the same on every stream and
 * connection, so they are encoded once.
 */
public final class AnswerHeaderBlocks {
    /** The start of every gRPC answer: {@code :status 200}, {@code content-type application/grpc}. */
    public static final byte[] HEAD = head();
    /** The end of every answered call: {@code grpc-status 0}. */
    public static final byte[] TRAILERS_OK = trailers(GrpcStatus.OK, "");
    /** The whole answer to a call in an unsupported encoding. It names the supported one. */
    public static final byte[] UNSUPPORTED_ENCODING = unsupportedEncoding();

    private static final int STATUS_200 = 8;
    private static final int STATUS = 8;
    private static final int ALLOW = 22;
    private static final int CONTENT_TYPE = 31;
    private static final int INDEXED = 0x80;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final String HEX = "0123456789ABCDEF";

    private AnswerHeaderBlocks() {}

    private static byte[] head() {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(INDEXED | STATUS_200);
        field(block, CONTENT_TYPE, "application/grpc");
        return block.toByteArray();
    }

    /** The trailers of a call whose head was already sent. */
    public static byte[] trailers(GrpcStatus status, String message) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        status(block, status, message);
        return block.toByteArray();
    }

    /** The whole answer of a call that failed before its head was sent: head and trailers in one block. */
    public static byte[] trailersOnly(GrpcStatus status, String message) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(HEAD);
        status(block, status, message);
        return block.toByteArray();
    }

    private static byte[] unsupportedEncoding() {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(trailersOnly(GrpcStatus.UNIMPLEMENTED, "unsupported grpc-encoding (expected: identity)"));
        field(block, "grpc-accept-encoding", "identity");
        return block.toByteArray();
    }

    /** The head of a plain HTTP answer, for callers that do not speak gRPC. */
    public static byte[] http(int code) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        field(block, STATUS, Integer.toString(code));
        field(block, CONTENT_TYPE, "text/plain");
        if (code == METHOD_NOT_ALLOWED) {
            field(block, ALLOW, "POST");
        }
        return block.toByteArray();
    }

    private static void status(ByteArrayOutputStream block, GrpcStatus status, String message) {
        field(block, "grpc-status", Integer.toString(status.number()));
        if (!message.isEmpty()) {
            field(block, "grpc-message", percentEncoded(message));
        }
    }

    /** Writes a literal without indexing whose name is in the static table. */
    private static void field(ByteArrayOutputStream block, int name, String value) {
        integer(block, 0, 4, name);
        text(block, value);
    }

    private static void field(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        integer(block, 0, 7, bytes.length);
        block.writeBytes(bytes);
    }

    /** Writes an integer that shares its first byte with {@code flags}: RFC 7541, 5.1. */
    private static void integer(ByteArrayOutputStream block, int flags, int prefixBits, int value) {
        int max = (1 << prefixBits) - 1;
        if (value < max) {
            block.write(flags | value);
            return;
        }
        block.write(flags | max);
        int rest = value - max;
        while (rest >= 0x80) {
            block.write((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        block.write(rest);
    }

    /** Percent-encodes a message as gRPC requires: every byte but printable ASCII, and the percent sign itself. */
    static String percentEncoded(String message) {
        StringBuilder encoded = new StringBuilder(message.length());
        for (byte b : message.getBytes(StandardCharsets.UTF_8)) {
            if (b >= ' ' && b <= '~' && b != '%') {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.charAt(b >> 4 & 0xF)).append(HEX.charAt(b & 0xF));
            }
        }
        return encoded.toString();
    }
}

package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads POST requests of HTTP/1.1 to one path, if they are of the plainest form: exactly this request line, a few header
 * fields that change nothing in the answer, a body of a given length. It takes no request about whose meaning or end two
 * readers could disagree; the HTTP server reads all others. One per event loop; not thread-safe.
 */
final class PlainPostReader {
    /** The kind of the first bytes. */
    enum Found {
        WHOLE,
        /** A plain request may become whole with more bytes. */
        PART,
        OTHER
    }

    private static final int MOST_FIELDS = 16;
    private static final int MOST_DIGITS = 5;
    private static final byte[] HOST = ascii("host");
    private static final byte[] LENGTH = ascii("content-length");
    private static final byte[] CONNECTION = ascii("connection");
    private static final byte[] KEEP_ALIVE = ascii("keep-alive");
    private static final byte[][] WITHOUT_EFFECT = {
        ascii("content-type"), ascii("user-agent"), ascii("accept"), ascii("accept-encoding")
    };

    private final byte[] requestLine;
    private final int longestBody;
    private byte[] bytes = new byte[2_048];
    private int end;
    private int bodyAt;
    private int bodyLength;

    PlainPostReader(String path, int longestBody) {
        this.requestLine = ascii("POST " + path + " HTTP/1.1\r\n");
        this.longestBody = longestBody;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Takes a copy of the readable bytes of {@code in}; requests are read from it. */
    void load(ByteBuf in) {
        end = in.readableBytes();
        if (bytes.length < end) {
            bytes = new byte[Integer.highestOneBit(end - 1) * 2];
        }
        in.getBytes(in.readerIndex(), bytes, 0, end);
    }

    /** Reads the request that begins at {@code from} of the loaded bytes. */
    Found read(int from) {
        int lineLength = Math.min(requestLine.length, end - from);
        if (!Arrays.equals(bytes, from, from + lineLength, requestLine, 0, lineLength)) {
            return Found.OTHER;
        }
        int hosts = 0;
        int length = -1;
        int at = from + requestLine.length;
        for (int fields = 0; fields <= MOST_FIELDS; fields++) {
            int lineEnd = lineEnd(at);
            if (lineEnd < 0) {
                return Found.OTHER;
            }
            if (lineEnd >= end - 1) {
                return Found.PART;
            }
            if (lineEnd == at) {
                return hosts == 1 && length >= 0 ? body(at + 2, length) : Found.OTHER;
            }
            int colon = at;
            while (colon < lineEnd && bytes[colon] != ':') {
                colon++;
            }
            if (colon == lineEnd) {
                return Found.OTHER;
            }
            if (is(HOST, at, colon)) {
                hosts++;
                if (!isHost(colon + 1, lineEnd)) {
                    return Found.OTHER;
                }
            } else if (is(LENGTH, at, colon)) {
                if (length >= 0) {
                    return Found.OTHER;
                }
                length = length(colon + 1, lineEnd);
                if (length < 0) {
                    return Found.OTHER;
                }
            } else if (!isWithoutEffect(at, colon, lineEnd)) {
                return Found.OTHER;
            }
            at = lineEnd + 2;
        }
        return Found.OTHER;
    }

    private Found body(int at, int length) {
        if (end - at < length) {
            return Found.PART;
        }
        bodyAt = at;
        bodyLength = length;
        return Found.WHOLE;
    }

    /** A copy of the body of the request that was read. */
    byte[] body() {
        return Arrays.copyOfRange(bytes, bodyAt, bodyAt + bodyLength);
    }

    /** The index after the request that was read. */
    int next() {
        return bodyAt + bodyLength;
    }

    /**
     * The index of the carriage return and newline that end the line, or of the last loaded byte or the one after it if the
     * line may go on; -1 if a byte does not belong in a plain line.
     */
    private int lineEnd(int from) {
        for (int i = from; i < end; i++) {
            byte each = bytes[i];
            if (each == '\r') {
                return (i == end - 1 || bytes[i + 1] == '\n') ? i : -1;
            }
            if (each < ' ' || each == 0x7F) {
                return -1;
            }
        }
        return end;
    }

    private boolean isWithoutEffect(int at, int colon, int lineEnd) {
        for (byte[] each : WITHOUT_EFFECT) {
            if (is(each, at, colon)) {
                return true;
            }
        }
        if (!is(CONNECTION, at, colon)) {
            return false;
        }
        int value = afterSpaces(colon + 1, lineEnd);
        return is(KEEP_ALIVE, value, lineEnd);
    }

    /** Whether the text is {@code lowerCase}, in any case. */
    private boolean is(byte[] lowerCase, int from, int to) {
        if (to - from != lowerCase.length) {
            return false;
        }
        for (int i = 0; i < lowerCase.length; i++) {
            int each = bytes[from + i];
            if (each >= 'A' && each <= 'Z') {
                each += 'a' - 'A';
            }
            if (each != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    private boolean isHost(int from, int to) {
        int at = afterSpaces(from, to);
        for (int i = at; i < to; i++) {
            byte each = bytes[i];
            boolean plain = (each >= 'a' && each <= 'z')
                    || (each >= 'A' && each <= 'Z')
                    || (each >= '0' && each <= '9')
                    || each == '.'
                    || each == '-'
                    || each == ':';
            if (!plain) {
                return false;
            }
        }
        return at < to;
    }

    /** The number, or -1 if it is not plain or too large. */
    private int length(int from, int to) {
        int at = afterSpaces(from, to);
        if (at == to || to - at > MOST_DIGITS) {
            return -1;
        }
        int number = 0;
        for (int i = at; i < to; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
            number = number * 10 + (bytes[i] - '0');
        }
        return number <= longestBody ? number : -1;
    }

    private int afterSpaces(int from, int to) {
        int at = from;
        while (at < to && bytes[at] == ' ') {
            at++;
        }
        return at;
    }
}

package dev.weir.text.yaml;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Decodes UTF-8, or reports the position of the first invalid byte. */
final class Utf8 {
    private Utf8() {}

    static @Nullable String decode(byte[] bytes, DiagnosticCollector problems) {
        if (startsWith(bytes, 0xFE, 0xFF) || startsWith(bytes, 0xFF, 0xFE)) {
            problems.error(new Position(1, 1), "not UTF-8: begins with the byte order mark of UTF-16");
            return null;
        }
        int start = startsWith(bytes, 0xEF, 0xBB, 0xBF) ? 3 : 0;
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes, start, bytes.length - start);
        CharBuffer out = CharBuffer.allocate(bytes.length - start);
        CoderResult result = decoder.decode(in, out, true);
        out.flip();
        if (result.isError()) {
            String byteText = String.format("0x%02x", bytes[in.position()] & 0xFF);
            problems.error(positionAt(out, out.length()), "not UTF-8: byte " + byteText, "save the file as UTF-8");
            return null;
        }
        return out.toString();
    }

    /** Returns the line and column of character {@code index}; a surrogate pair is one column. */
    static Position positionAt(CharSequence text, int index) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < index; i++) {
            char c = text.charAt(i);
            if (c == '\n' || (c == '\r' && !isLineFeed(text, i + 1))) {
                line++;
                column = 1;
            } else if (!Character.isLowSurrogate(c)) {
                column++;
            }
        }
        return new Position(line, column);
    }

    private static boolean isLineFeed(CharSequence text, int index) {
        return index < text.length() && text.charAt(index) == '\n';
    }

    private static boolean startsWith(byte[] bytes, int... mark) {
        if (bytes.length < mark.length) {
            return false;
        }
        for (int i = 0; i < mark.length; i++) {
            if ((bytes[i] & 0xFF) != mark[i]) {
                return false;
            }
        }
        return true;
    }
}

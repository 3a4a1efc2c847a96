package dev.weir.server.log;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Escapes text so that a log line stays one line. */
final class LogText {
    private LogText() {}

    /** Whether {@code c} is neither a control character nor one that changes the direction of the text. */
    static boolean isPlain(char c) {
        return c >= 0x20
                && (c < 0x7f || c > 0x9f)
                && (c < 0x200e || c > 0x200f)
                && (c < 0x2028 || c > 0x202e)
                && (c < 0x2066 || c > 0x2069);
    }

    /**
     * Returns {@code text} with line breaks indented, and with every character that could forge a line or control a
     * terminal shown as a dot.
     */
    static String printable(String text, String lineBreak) {
        StringBuilder plain = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                plain.append(lineBreak);
            } else {
                plain.append(c == '\t' ? ' ' : isPlain(c) ? c : '·');
            }
        }
        return plain.toString();
    }

    /** The stack trace, which has many lines. */
    static String trace(Throwable cause) {
        StringWriter trace = new StringWriter();
        cause.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }
}

package dev.weir.server.log;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What keeps a line a line, whatever stands in it. */
final class LogText {
    private LogText() {}

    /** Neither a control character nor one that turns the direction of the text around it. */
    static boolean isPlain(char c) {
        return c >= 0x20
                && (c < 0x7f || c > 0x9f)
                && (c < 0x200e || c > 0x200f)
                && (c < 0x2028 || c > 0x202e)
                && (c < 0x2066 || c > 0x2069);
    }

    /** {@code text} with its line breaks indented and everything that could forge a line or paint a terminal shown as a dot. */
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

    /** The stack trace, in its many lines. */
    static String trace(Throwable cause) {
        StringWriter trace = new StringWriter();
        cause.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }
}

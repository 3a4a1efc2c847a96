package dev.weir.server.replay.input;

import java.util.ArrayList;
import java.util.List;

/**
 * Text with fields, as nginx and Envoy write their log formats: {@code $remote_addr}, {@code ${remote_addr}} and {@code
 * %REQ(:METHOD)%}.
 */
final class FieldText {
    /**
     * A part of the text.
     *
     * @param text the name of a field with its mark, {@code $status} or {@code %REQ(:PATH)%}, or text that stands for itself
     * @param at where it begins, counted from 0
     */
    record Part(boolean isField, String text, int at) {}

    private FieldText() {}

    /**
     * Splits {@code text} into fields and what stands between them.
     *
     * @throws IllegalArgumentException if a field has no end
     */
    static List<Part> parts(String text) {
        List<Part> parts = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int at = 0;
        int literalAt = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            int end = c == '$' ? nginxEnd(text, at) : c == '%' ? envoyEnd(text, at) : -1;
            if (c == '%' && at + 1 < text.length() && text.charAt(at + 1) == '%') {
                literal.append('%');
                at += 2;
            } else if (end < 0) {
                literal.append(c);
                at++;
            } else {
                if (literal.length() > 0) {
                    parts.add(new Part(false, literal.toString(), literalAt));
                    literal.setLength(0);
                }
                parts.add(new Part(true, name(text.substring(at, end)), at));
                at = end;
                literalAt = end;
            }
        }
        if (literal.length() > 0) {
            parts.add(new Part(false, literal.toString(), literalAt));
        }
        return parts;
    }

    private static String name(String field) {
        return field.startsWith("${") ? "$" + field.substring(2, field.length() - 1) : field;
    }

    /** The end of the field that begins with {@code $} at {@code at}; -1 if it is only a sign. */
    private static int nginxEnd(String text, int at) {
        int end = at + 1;
        if (end < text.length() && text.charAt(end) == '{') {
            int close = text.indexOf('}', end);
            if (close < 0) {
                throw new IllegalArgumentException("column " + (at + 1) + ": ${ has no }");
            }
            return close + 1;
        }
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        return end == at + 1 ? -1 : end;
    }

    private static int envoyEnd(String text, int at) {
        int open = text.indexOf('(', at);
        int close = text.indexOf('%', at + 1);
        if (close >= 0 && open >= 0 && open < close) {
            // The arguments of START_TIME have percent signs of their own.
            int paren = text.indexOf(')', open);
            close = paren < 0 ? -1 : text.indexOf('%', paren);
        }
        if (close < 0) {
            throw new IllegalArgumentException("column " + (at + 1) + ": a field that begins with % has no end");
        }
        return close + 1;
    }
}

package dev.weir.client.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a structured field that is a list of strings with parameters (RFC 9651). All types of parameters are read, so that
 * unknown ones do no harm.
 */
final class StructuredList {
    /** The most that a field may have: more is not worth reading. */
    private static final int MOST_CHARACTERS = 8_192;

    private static final int MOST_DIGITS = 15;

    private final String text;
    private int at;

    private StructuredList(String text) {
        this.text = text;
    }

    /** A string with its parameters; values are Long, Double, String, Boolean, or {@link Other}. */
    record Item(String name, Map<String, Object> parameters) {
        boolean has(String parameter) {
            return parameters.containsKey(parameter);
        }

        /** The value of an integer; null if there is none, or it is of another type. */
        @Nullable
        Long integer(String parameter) {
            return parameters.get(parameter) instanceof Long number ? number : null;
        }

        /** The value of a string or of bytes; null if there is none, or it is of another type. */
        @Nullable
        String text(String parameter) {
            Object value = parameters.get(parameter);
            return value instanceof String string ? string : value instanceof Other other ? other.text : null;
        }
    }

    /** A token, bytes or a display string, as it is written. */
    private record Other(String text) {}

    /** Thrown for a field that is not such a list. */
    private static final class MalformedFieldException extends Exception {
        MalformedFieldException() {
            super("malformed", null, false, false);
        }
    }

    /** Reads the lines of a field; null if they are malformed. */
    static @Nullable List<Item> parse(List<String> lines) {
        String joined = lines.size() == 1 ? lines.get(0) : String.join(",", lines);
        if (joined.length() > MOST_CHARACTERS) {
            return null;
        }
        try {
            return new StructuredList(joined).list();
        } catch (MalformedFieldException e) {
            return null;
        }
    }

    private List<Item> list() throws MalformedFieldException {
        List<Item> items = new ArrayList<>();
        skip(false);
        while (at < text.length()) {
            String name = string();
            items.add(new Item(name, parameters()));
            skip(true);
            if (at == text.length()) {
                break;
            }
            expect(',');
            skip(true);
            if (at == text.length()) {
                throw new MalformedFieldException(); // a comma at the end
            }
        }
        return items;
    }

    private Map<String, Object> parameters() throws MalformedFieldException {
        Map<String, Object> parameters = new LinkedHashMap<>();
        while (peek() == ';') {
            at++;
            skip(false);
            String key = key();
            Object value = true;
            if (peek() == '=') {
                at++;
                value = value();
            }
            parameters.put(key, value); // of duplicates, the last wins
        }
        return parameters;
    }

    private String key() throws MalformedFieldException {
        int start = at;
        char first = peek();
        if (!(first >= 'a' && first <= 'z') && first != '*') {
            throw new MalformedFieldException();
        }
        while (isKey(peek())) {
            at++;
        }
        return text.substring(start, at);
    }

    private static boolean isKey(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '*';
    }

    private Object value() throws MalformedFieldException {
        char first = peek();
        if (first == '"') {
            return string();
        }
        if (first == '-' || isDigit(first)) {
            return number();
        }
        int start = at;
        if (first == ':') {
            int end = text.indexOf(':', at + 1);
            if (end < 0) {
                throw new MalformedFieldException();
            }
            at = end + 1;
        } else if (first == '?') {
            at++;
            char flag = peek();
            if (flag != '0' && flag != '1') {
                throw new MalformedFieldException();
            }
            at++;
            return flag == '1';
        } else if (first == '@') {
            at++;
            number();
        } else if (first == '%') {
            at++;
            string();
        } else if (isLetter(first) || first == '*') {
            while (isToken(peek())) {
                at++;
            }
        } else {
            throw new MalformedFieldException();
        }
        return new Other(text.substring(start, at));
    }

    private Object number() throws MalformedFieldException {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int digits = digits();
        if (digits == 0 || digits > MOST_DIGITS) {
            throw new MalformedFieldException();
        }
        if (peek() != '.') {
            return Long.parseLong(text, start, at, 10);
        }
        at++;
        int fraction = digits();
        if (fraction == 0 || fraction > 3 || digits > 12) {
            throw new MalformedFieldException();
        }
        return Double.parseDouble(text.substring(start, at));
    }

    private int digits() {
        int start = at;
        while (isDigit(peek())) {
            at++;
        }
        return at - start;
    }

    private String string() throws MalformedFieldException {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (true) {
            if (at == text.length()) {
                throw new MalformedFieldException();
            }
            char c = text.charAt(at++);
            if (c == '"') {
                return value.toString();
            }
            if (c == '\\') {
                c = peek();
                if (c != '"' && c != '\\') {
                    throw new MalformedFieldException();
                }
                at++;
            } else if (c < 0x20 || c > 0x7E) {
                throw new MalformedFieldException();
            }
            value.append(c);
        }
    }

    /** The next character; 0 at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void expect(char c) throws MalformedFieldException {
        if (peek() != c || at == text.length()) {
            throw new MalformedFieldException();
        }
        at++;
    }

    private void skip(boolean tabs) {
        while (peek() == ' ' || (tabs && peek() == '\t')) {
            at++;
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isToken(char c) {
        return isLetter(c) || isDigit(c) || "!#$%&'*+-.^_`|~:/".indexOf(c) >= 0;
    }
}

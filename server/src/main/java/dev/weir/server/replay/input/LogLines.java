package dev.weir.server.replay.input;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.pattern.Attributes;
import dev.weir.server.replay.input.LogFields.Meaning;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the lines of an access log by its format, as nginx and Envoy write it in their configuration. */
final class LogLines implements LineFormat {
    private static final int TOO_MANY = 429;

    private final AttributeMapping mapping;
    private final List<FieldText.Part> parts;
    /** The names of the fields, in their order in a line. */
    private final List<String> fields = new ArrayList<>();

    private final List<@Nullable Meaning> meanings = new ArrayList<>();
    /** The bytes after each field; empty for the last. */
    private final List<byte[]> ends = new ArrayList<>();

    private final byte[] start;
    private final List<AttributeMapping.Compiled> attributes;
    private final @Nullable String[] values;

    /**
     * Compiles {@code template}.
     *
     * @throws IllegalArgumentException if it is no format that tells fields apart, or has no time
     */
    LogLines(String template, AttributeMapping mapping) {
        this.mapping = mapping;
        this.parts = FieldText.parts(template.stripTrailing());
        byte[] first = {};
        for (int i = 0; i < parts.size(); i++) {
            FieldText.Part part = parts.get(i);
            if (part.isField()) {
                boolean last = i + 1 == parts.size();
                if (!last && parts.get(i + 1).isField()) {
                    throw new IllegalArgumentException(
                            "column " + (parts.get(i + 1).at() + 1) + ": "
                                    + parts.get(i + 1).text() + " follows " + part.text()
                                    + " at once (expected: text between two fields)");
                }
                fields.add(part.text());
                meanings.add(LogFields.meaning(part.text()));
                ends.add(last ? new byte[0] : bytes(parts.get(i + 1).text()));
            } else if (i == 0) {
                first = bytes(part.text());
            }
        }
        this.start = first;
        if (!meanings.contains(Meaning.TIME)) {
            throw new IllegalArgumentException(
                    "no time (expected: $time_local, $time_iso8601, $msec or START_TIME among the fields)");
        }
        this.attributes = mapping.compile(fields);
        this.values = new String[fields.size()];
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public LineKind read(byte[] bytes, int from, int end, TrafficLine into) throws LineException {
        into.clear();
        if (!startsWith(bytes, from, end, start)) {
            throw new LineException(1, "expected " + quote(parts.get(0).text()) + " at the beginning");
        }
        int at = from + start.length;
        for (int i = 0; i < values.length; i++) {
            byte[] after = ends.get(i);
            int stop = after.length == 0 ? end : find(bytes, at, end, after);
            if (stop < 0) {
                throw new LineException(
                        at - from + 1,
                        "expected " + quote(new String(after, StandardCharsets.UTF_8)) + " after " + fields.get(i));
            }
            values[i] = value(bytes, at, stop);
            understand(i, at - from + 1, into);
            at = stop + after.length;
        }
        into.request().domain(mapping.domain()).asAttributes();
        mapping.add(attributes, values, into);
        return LineKind.REQUEST;
    }

    private void understand(int index, int column, TrafficLine into) throws LineException {
        Meaning meaning = meanings.get(index);
        String value = values[index];
        if (meaning == null || (value == null && meaning != Meaning.TIME)) {
            return;
        }
        switch (meaning) {
            case TIME -> {
                into.micros = value == null ? Moments.NONE : Moments.any(value);
                into.wholeSeconds = value != null && value.indexOf('.') < 0;
                if (into.micros == Moments.NONE) {
                    throw new LineException(
                            column,
                            fields.get(index) + ": " + quote(value == null ? "-" : value) + " (expected: a time)");
                }
            }
            case REQUEST_LINE -> requestLine(value == null ? "" : value, into);
            case METHOD -> add(Attributes.METHOD, value, into);
            case PATH -> add(Attributes.ENDPOINT, value == null ? null : path(value), into);
            case ADDRESS -> add(Attributes.IP, value, into);
            case STATUS -> into.passed = value == null ? null : !value.equals(String.valueOf(TOO_MANY));
        }
    }

    private void requestLine(String line, TrafficLine into) {
        int first = line.indexOf(' ');
        int last = line.lastIndexOf(' ');
        if (first > 0) { // else what a scanner sent
            add(Attributes.METHOD, line.substring(0, first), into);
            add(Attributes.ENDPOINT, path(line.substring(first + 1, last > first ? last : line.length())), into);
        }
    }

    private void add(String attribute, @Nullable String value, TrafficLine into) {
        if (value != null && !mapping.sets(attribute)) {
            mapping.add(attribute, value, into);
        }
    }

    private static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    private static boolean startsWith(byte[] bytes, int from, int end, byte[] text) {
        if (end - from < text.length) {
            return false;
        }
        for (int i = 0; i < text.length; i++) {
            if (bytes[from + i] != text[i]) {
                return false;
            }
        }
        return true;
    }

    private static int find(byte[] bytes, int from, int end, byte[] text) {
        for (int i = from; i <= end - text.length; i++) {
            if (startsWith(bytes, i, end, text)) {
                return i;
            }
        }
        return -1;
    }

    /** The value between two places; null for {@code -}, which stands for none. */
    private static @Nullable String value(byte[] bytes, int from, int end) {
        if (end == from || (end == from + 1 && bytes[from] == '-')) {
            return null;
        }
        String text = new String(bytes, from, end - from, StandardCharsets.UTF_8);
        return text.indexOf("\\x") < 0 ? text : unescaped(text);
    }

    /** nginx writes a character that could end a value as {@code \xHH}. */
    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            boolean escaped = text.startsWith("\\x", i) && i + 4 <= text.length();
            int high = escaped ? Character.digit(text.charAt(i + 2), 16) : -1;
            int low = escaped ? Character.digit(text.charAt(i + 3), 16) : -1;
            if (high >= 0 && low >= 0) {
                plain.append((char) (high << 4 | low));
                i += 3;
            } else {
                plain.append(text.charAt(i));
            }
        }
        return plain.toString();
    }
}

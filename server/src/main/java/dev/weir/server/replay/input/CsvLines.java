package dev.weir.server.replay.input;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.text.message.Suggestion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table with a head: {@code time}, and if they are there {@code domain}, {@code cost}, {@code passed} and {@code
 * node}; every other column is an attribute. An empty cell leaves its attribute out.
 */
final class CsvLines implements LineFormat {
    private static final List<String> OWN = List.of("time", "domain", "cost", "passed", "node");

    private final AttributeMapping mapping;
    private final List<String> cells = new ArrayList<>();
    private final List<Integer> columns = new ArrayList<>();
    private @Nullable List<String> head;
    private boolean refused;
    private List<AttributeMapping.Compiled> attributes = List.of();
    private @Nullable String[] values = {};

    CsvLines(AttributeMapping mapping) {
        this.mapping = mapping;
    }

    @Override
    public LineKind read(byte[] bytes, int from, int end, TrafficLine into) throws LineException {
        into.clear();
        split(new String(bytes, from, end - from, StandardCharsets.UTF_8));
        List<String> names = head;
        if (refused) {
            return LineKind.OTHER; // told already
        }
        if (names == null) {
            refused = true;
            readHead();
            refused = false;
            return LineKind.OTHER;
        }
        if (cells.size() != names.size()) {
            throw new LineException(
                    columns.get(Math.min(cells.size(), names.size()) - 1),
                    cells.size() + " cells (expected: " + names.size() + ", as in the head)");
        }
        String domain = mapping.domain();
        into.request().asAttributes();
        for (int i = 0; i < names.size(); i++) {
            String cell = cells.get(i);
            values[i] = cell.isEmpty() ? null : cell;
            String name = names.get(i);
            switch (name) {
                case "time" -> time(cell, columns.get(i), into);
                case "domain" -> domain = cell.isEmpty() ? domain : cell;
                case "cost" -> cost(cell, columns.get(i), into);
                case "passed" -> passed(cell, columns.get(i), into);
                case "node" -> into.node = cell;
                default -> {
                    if (!cell.isEmpty() && !mapping.sets(name)) {
                        mapping.add(name, cell, into);
                    }
                }
            }
        }
        mapping.add(attributes, values, into);
        into.request().domain(domain);
        return LineKind.REQUEST;
    }

    private void readHead() throws LineException {
        List<String> names = cells.stream().map(String::strip).toList();
        if (!names.contains("time")) {
            String meant = Suggestion.nearest("time", names);
            throw new LineException(
                    meant == null ? 1 : columns.get(names.indexOf(meant)),
                    "no column 'time' ("
                            + (meant == null
                                    ? "expected: a head with the names of the columns"
                                    : "did you mean it by " + quote(meant) + "?")
                            + ")");
        }
        for (int i = 0; i < names.size(); i++) {
            String meant = OWN.contains(names.get(i)) ? null : Suggestion.misspelt(names.get(i), OWN);
            if (names.get(i).isEmpty()) {
                throw new LineException(columns.get(i), "a column without a name");
            }
            if (meant != null && !names.contains(meant)) {
                throw new LineException(
                        columns.get(i), "column " + quote(names.get(i)) + " (did you mean " + meant + "?)");
            }
        }
        try {
            attributes = mapping.compile(names.stream().map(each -> "$" + each).toList());
        } catch (IllegalArgumentException e) {
            throw new LineException(1, String.valueOf(e.getMessage()));
        }
        values = new String[names.size()];
        head = names;
    }

    private static void time(String cell, int column, TrafficLine into) throws LineException {
        into.micros = Moments.any(cell);
        into.wholeSeconds = cell.indexOf('.') < 0;
        if (into.micros == Moments.NONE) {
            throw new LineException(
                    column,
                    "time: " + quote(cell)
                            + " (expected: a time like 2026-11-16T05:30:00.123456Z, or seconds since 1970)");
        }
    }

    private static void cost(String cell, int column, TrafficLine into) throws LineException {
        if (!cell.isEmpty()) {
            try {
                into.request().hits(Long.parseLong(cell));
            } catch (NumberFormatException e) {
                throw new LineException(column, "cost: " + quote(cell) + " (expected: a whole number)");
            }
        }
    }

    private static void passed(String cell, int column, TrafficLine into) throws LineException {
        into.passed = switch (cell.toLowerCase(Locale.ROOT)) {
            case "" -> null;
            case "true", "1", "yes", "allowed" -> Boolean.TRUE;
            case "false", "0", "no", "denied" -> Boolean.FALSE;
            default -> throw new LineException(column, "passed: " + quote(cell) + " (expected: true or false)");
        };
    }

    private void split(String line) throws LineException {
        cells.clear();
        columns.clear();
        int at = 0;
        while (at <= line.length()) {
            columns.add(at + 1);
            if (at < line.length() && line.charAt(at) == '"') {
                at = quoted(line, at);
            } else {
                int comma = line.indexOf(',', at);
                int end = comma < 0 ? line.length() : comma;
                cells.add(line.substring(at, end));
                at = end + 1;
            }
        }
    }

    private int quoted(String line, int from) throws LineException {
        StringBuilder cell = new StringBuilder();
        int at = from + 1;
        while (true) {
            int quote = line.indexOf('"', at);
            if (quote < 0) {
                throw new LineException(from + 1, "a quoted cell does not end in its line");
            }
            cell.append(line, at, quote);
            if (quote + 1 < line.length() && line.charAt(quote + 1) == '"') {
                cell.append('"');
                at = quote + 2;
            } else {
                cells.add(cell.toString());
                if (quote + 1 < line.length() && line.charAt(quote + 1) != ',') {
                    throw new LineException(quote + 2, "expected a comma after a quoted cell");
                }
                return quote + 2;
            }
        }
    }
}

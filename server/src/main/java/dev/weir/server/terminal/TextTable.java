package dev.weir.server.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Prints aligned columns. */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... head) {
        rows.add(List.of(head));
    }

    public void row(String... cells) {
        List<String> row = new ArrayList<>();
        for (String each : cells) {
            // A name may contain any character: it must neither break the line nor control the terminal.
            row.add(each.replaceAll("[\\p{Cntrl}\\p{Cf}]", "?"));
        }
        rows.add(row);
    }

    public void print(PrintWriter out) {
        int columns = rows.get(0).size();
        int[] width = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                width[i] = Math.max(width[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i)).append(" ".repeat(width[i] - row.get(i).length() + 2));
            }
            out.println(line.toString().stripTrailing());
        }
    }
}

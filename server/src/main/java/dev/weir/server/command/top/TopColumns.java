package dev.weir.server.command.top;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jline.utils.AttributedString;

/** Lays the cells of a table out in the width of a terminal; the second column gives way if they do not fit. */
final class TopColumns {
    private static final int GAP = 2;
    private static final int LEAST = 8;

    private TopColumns() {}

    /** The width of each column. */
    static int[] widths(TopView view, List<JsonObject> rows, int width) {
        int[] widths = new int[view.columns.size()];
        int sum = 0;
        for (int i = 0; i < widths.length; i++) {
            TopView.Column column = view.columns.get(i);
            widths[i] = columnLength(column.title()) + 1; // for the mark of the order
            for (JsonObject each : rows) {
                widths[i] = Math.max(widths[i], columnLength(text(column, each)));
            }
            sum += widths[i] + GAP;
        }
        widths[1] = Math.max(LEAST, widths[1] - Math.max(0, sum - GAP - width));
        return widths;
    }

    static String line(TopView view, JsonObject row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            TopView.Column column = view.columns.get(i);
            line.append(cell(text(column, row), widths[i], column.number())).append(" ".repeat(GAP));
        }
        return line.toString();
    }

    /** {@code text} in so many columns of the terminal, cut with an ellipsis if it is longer. */
    static String cell(String text, int width, boolean right) {
        AttributedString whole = new AttributedString(text);
        String cut = whole.columnLength() <= width
                ? text
                : whole.columnSubSequence(0, width - 1).toString() + "…";
        String padding = " ".repeat(Math.max(0, width - columnLength(cut)));
        return right ? padding + cut : cut + padding;
    }

    private static String text(TopView.Column column, JsonObject row) {
        return TopScreen.printable(column.cell().apply(row));
    }

    private static int columnLength(String text) {
        return new AttributedString(text).columnLength();
    }
}

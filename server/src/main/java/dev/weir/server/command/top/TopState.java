package dev.weir.server.command.top;

import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The choices of the person at the terminal: table, order, filter, row, pause. Keys change them. */
final class TopState {
    /** The part of the screen that the next key goes to. */
    enum Mode {
        TABLE,
        FILTER,
        HELP,
        EXPLANATION
    }

    private final TopFeed feed;
    private TopView view = TopView.DENIED;
    private int sort = view.firstSort;
    private boolean reversed;
    private String filter = "";
    private int selected;
    private Mode mode = Mode.TABLE;
    /** The answer that a pause keeps on the screen. */
    private TopFeed.@Nullable Frame paused;

    private volatile List<String> explanation = List.of();

    TopState(TopFeed feed) {
        this.feed = feed;
    }

    TopView view() {
        return view;
    }

    int sort() {
        return sort;
    }

    /** Whether the lowest is first. */
    boolean ascending() {
        return view.columns.get(sort).number() == reversed;
    }

    String filter() {
        return filter;
    }

    int selected() {
        return selected;
    }

    Mode mode() {
        return mode;
    }

    boolean isPaused() {
        return paused != null;
    }

    List<String> explanation() {
        return explanation;
    }

    /** The answer to show; null before the first. */
    TopFeed.@Nullable Frame frame() {
        return paused != null ? paused : feed.frame();
    }

    /** The rows to show, filtered and sorted; none while the rows of another table are on the way. */
    List<JsonObject> rows() {
        TopFeed.Frame frame = frame();
        if (frame == null || frame.view() != view) {
            return List.of();
        }
        Comparator<JsonObject> order = view.columns.get(sort).order();
        return frame.rows().stream()
                .filter(this::passes)
                .sorted(ascending() ? order : order.reversed())
                .toList();
    }

    private boolean passes(JsonObject row) {
        String wanted = filter.toLowerCase(Locale.ROOT);
        return Stream.of("domain", "rule", "key", "limit")
                .map(each -> String.valueOf(row.getValue(each)).toLowerCase(Locale.ROOT))
                .anyMatch(each -> each.contains(wanted));
    }

    /** Handles a key; returns false if it ends the command. */
    boolean key(int key) {
        switch (mode) {
            case FILTER -> filterKey(key);
            case HELP, EXPLANATION -> mode = Mode.TABLE; // any key goes back
            case TABLE -> {
                return tableKey(key);
            }
        }
        return true;
    }

    private void filterKey(int key) {
        switch (key) {
            case KeyStroke.ENTER -> mode = Mode.TABLE;
            case KeyStroke.ESCAPE -> {
                filter = "";
                mode = Mode.TABLE;
            }
            case KeyStroke.BACKSPACE -> filter = filter.isEmpty() ? "" : filter.substring(0, filter.length() - 1);
            default -> filter += (key >= ' ' && key < KeyStroke.BACKSPACE) || key > 160 ? Character.toString(key) : "";
        }
        selected = 0;
    }

    private boolean tableKey(int key) {
        int last = Math.max(0, rows().size() - 1);
        switch (key) {
            case 'q', KeyStroke.END_OF_INPUT, KeyStroke.CONTROL_C -> {
                return false;
            }
            case 'j', KeyStroke.DOWN -> selected = Math.min(last, selected + 1);
            case 'k', KeyStroke.UP -> selected = Math.max(0, Math.min(last, selected) - 1);
            case 'g', KeyStroke.HOME -> selected = 0;
            case 'G', KeyStroke.END -> selected = last;
            case '1', '2', '3', '4' -> show(TopView.ALL.get(key - '1'));
            case KeyStroke.TAB -> show(TopView.ALL.get((TopView.ALL.indexOf(view) + 1) % TopView.ALL.size()));
            case '<', KeyStroke.LEFT -> sortBy(sort - 1);
            case '>', KeyStroke.RIGHT -> sortBy(sort + 1);
            case 'r' -> reversed = !reversed;
            case '/' -> mode = Mode.FILTER;
            case KeyStroke.ESCAPE -> filter = "";
            case 'p', ' ' -> paused = paused == null ? feed.frame() : null;
            case '?', 'h' -> mode = Mode.HELP;
            case KeyStroke.ENTER -> explain();
            default -> {} // no other key means anything
        }
        return true;
    }

    private void show(TopView next) {
        view = next;
        sort = next.firstSort;
        reversed = false;
        selected = 0;
        paused = null;
        feed.show(next);
    }

    private void sortBy(int column) {
        sort = Math.floorMod(column, view.columns.size());
        reversed = false;
    }

    private void explain() {
        List<JsonObject> rows = rows();
        if (!rows.isEmpty()) {
            explanation = List.of("asking the server …");
            mode = Mode.EXPLANATION;
            feed.explain(
                    view, rows.get(Math.min(selected, rows.size() - 1)), lines -> explanation = List.copyOf(lines));
        }
    }
}

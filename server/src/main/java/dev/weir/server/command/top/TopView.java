package dev.weir.server.command.top;

import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A table that can be looked at: where its rows come from, and its columns. */
final class TopView {
    private static final String NONE = "-";

    static final TopView DENIED = new TopView(
            "denied callers",
            "/admin/v1/top?by=denied&limit=100",
            "keys",
            2,
            List.of(
                    rule(),
                    caller(),
                    number("DENIED/s", "rate"),
                    share("SHARE", "share"),
                    new Column(
                            "SINCE",
                            true,
                            TopView::since,
                            Comparator.comparingDouble(row -> -of(row, "denied_since")))));
    static final TopView ALLOWED = new TopView(
            "allowed callers",
            "/admin/v1/top?by=allowed&limit=100",
            "keys",
            2,
            List.of(rule(), caller(), number("REQUESTS/s", "rate"), share("SHARE", "share")));
    static final TopView NEAREST = new TopView(
            "callers near their limit",
            "/admin/v1/top?by=nearest&limit=100",
            "keys",
            2,
            List.of(
                    rule(),
                    caller(),
                    share("USED", "utilisation"),
                    number("LEFT", "remaining"),
                    number("LIMIT", "limit")));
    static final TopView RULES = new TopView(
            "rules",
            "/admin/v1/live?sort=denied_share&limit=1000",
            "rules",
            3,
            List.of(
                    rule(),
                    text("LIMIT", "limit"),
                    number("ALLOWED/s", "allowed_rate"),
                    number("DENIED/s", "denied_rate"),
                    share("DENIED", "denied_share"),
                    share("USED", "utilisation"),
                    new Column("STATE", false, TopView::state, Comparator.comparing(TopView::state))));

    /** All tables, in the order of their keys. */
    static final List<TopView> ALL = List.of(DENIED, ALLOWED, NEAREST, RULES);

    /** The title for people. */
    final String title;
    /** The path to ask of the admin port. */
    final String path;
    /** The member of the answer with the rows. */
    final String rows;
    /** The column that rows are sorted by at first. */
    final int firstSort;

    final List<Column> columns;

    private TopView(String title, String path, String rows, int firstSort, List<Column> columns) {
        this.title = title;
        this.path = path;
        this.rows = rows;
        this.firstSort = firstSort;
        this.columns = columns;
    }

    /**
     * A column.
     *
     * @param number whether its cells are aligned to the right, and sorted with the highest first
     * @param order the order of rows by this column, lowest first
     */
    record Column(String title, boolean number, Function<JsonObject, String> cell, Comparator<JsonObject> order) {}

    private static Column rule() {
        Function<JsonObject, String> name = row -> row.getString("domain", "") + " " + row.getString("rule", "");
        return new Column("RULE", false, name, Comparator.comparing(name));
    }

    private static Column caller() {
        Function<JsonObject, String> key = row -> row.getString("key", "").isEmpty() ? "(all)" : row.getString("key");
        return new Column("CALLER", false, key, Comparator.comparing(key));
    }

    private static Column text(String title, String member) {
        Function<JsonObject, String> cell = row -> row.getString(member, NONE);
        return new Column(title, false, cell, Comparator.comparing(cell));
    }

    private static Column number(String title, String member) {
        return new Column(
                title, true, row -> amount(row.getDouble(member)), Comparator.comparingDouble(row -> of(row, member)));
    }

    private static Column share(String title, String member) {
        return new Column(
                title, true, row -> percent(row.getDouble(member)), Comparator.comparingDouble(row -> of(row, member)));
    }

    private static double of(JsonObject row, String member) {
        Double value = row.getDouble(member);
        return value == null ? -1 : value;
    }

    /** A number as people write it: 4,120 or 2.5. */
    static String amount(@Nullable Double value) {
        if (value == null) {
            return NONE;
        }
        return String.format(Locale.ROOT, value < 100 && value != Math.rint(value) ? "%,.1f" : "%,.0f", value);
    }

    /** A share as a percentage, with a digit more where it is small. */
    static String percent(@Nullable Double share) {
        if (share == null) {
            return NONE;
        }
        double percent = 100 * share;
        return String.format(Locale.ROOT, percent > 0 && percent < 10 ? "%.1f %%" : "%,.0f %%", percent);
    }

    private static String since(JsonObject row) {
        Long since = row.getLong("denied_since");
        return since == null ? NONE : age(System.currentTimeMillis() / 1_000 - since);
    }

    /** How long ago something was. */
    static String age(long seconds) {
        long whole = Math.max(0, seconds);
        return whole < 120 ? whole + " s" : whole < 7_200 ? whole / 60 + " min" : whole / 3_600 + " h";
    }

    private static String state(JsonObject row) {
        String switched = row.getString("switched");
        return switched != null ? "switched " + switched : row.getBoolean("shadow", false) ? "shadow" : "";
    }
}

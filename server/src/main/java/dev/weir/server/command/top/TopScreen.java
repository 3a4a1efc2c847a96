package dev.weir.server.command.top;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** Draws the state as lines of the width of the terminal. Colour is never the only sign of anything. */
final class TopScreen {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final int DENIED = 0xD55E00;
    private static final int DEGRADED = 0xE69F00;
    private static final int CALM = 0x0072B2;
    private static final int SPARK_SECONDS = 30;
    private static final int LEAST_WIDTH = 20;
    private static final int HEADER_LINES = 5;
    private static final List<String> HELP = List.of(
            "weir top: what this server decides now",
            "",
            "  1 2 3 4, Tab   denied callers, allowed callers, callers near their limit, rules",
            "  j k, arrows    another row; g and G the first and the last",
            "  < >            sort by another column; r reverses the order",
            "  /              show only rows with a text; Esc shows all",
            "  Enter          explain the row: limits, what is left, the last denials",
            "  p, space       pause and go on",
            "  ?              this page",
            "  q              quit",
            "",
            "  ● all well   ◌ something is degraded   ▲ a store is unreachable, or the server does not serve",
            "",
            "any key goes back");

    private final boolean colours;

    TopScreen(boolean colours) {
        this.colours = colours;
    }

    /** Draws {@code state}; {@code problem} says why the server does not answer, null if it does. */
    List<AttributedString> draw(TopState state, @Nullable String problem, int width, int height) {
        int columns = Math.max(LEAST_WIDTH, width);
        List<AttributedString> lines = new ArrayList<>();
        TopFeed.Frame frame = state.frame();
        if (state.mode() == TopState.Mode.HELP) {
            HELP.forEach(each -> lines.add(plain(each)));
        } else if (state.mode() == TopState.Mode.EXPLANATION) {
            state.explanation().forEach(each -> lines.add(plain(each)));
            lines.addAll(List.of(plain(""), plain("any key goes back")));
        } else if (frame == null) {
            lines.add(plain(problem == null ? "asking the server …" : problem));
        } else {
            header(lines, frame, problem);
            table(lines, state, columns, height - HEADER_LINES - 1);
            while (lines.size() < height - 1) {
                lines.add(plain(""));
            }
            lines.add(footer(state));
        }
        return lines.stream()
                .limit(height)
                .map(each -> each.columnSubSequence(0, columns).toAttributedString())
                .toList();
    }

    private void header(List<AttributedString> lines, TopFeed.Frame frame, @Nullable String problem) {
        JsonObject now = frame.now();
        JsonObject state = now.getJsonObject("state");
        String level = state.getString("level");
        String clock = CLOCK.format(Instant.ofEpochSecond(now.getLong("at")).atZone(ZoneId.systemDefault()));
        AttributedStringBuilder first = new AttributedStringBuilder();
        first.styled(bold(), "weir " + printable(now.getString("node")) + "  " + clock + "  ");
        if (problem == null) {
            first.styled(
                    level.equals("ok") ? style(CALM) : style(level.equals("warn") ? DEGRADED : DENIED), glyph(level));
            first.append(" ").append(printable(state.getString("sentence")));
        } else {
            first.styled(style(DENIED), "▲ no answer for " + TopView.age(frame.age()) + ": " + printable(problem));
        }
        lines.add(first.toAttributedString());
        lines.add(figures(now));
        lines.add(plain(""));
    }

    private static String glyph(String level) {
        return switch (level) {
            case "ok" -> "●";
            case "warn" -> "◌";
            default -> "▲";
        };
    }

    private AttributedString figures(JsonObject now) {
        JsonObject figures = now.getJsonObject("figures");
        AttributedStringBuilder line = new AttributedStringBuilder();
        figure(line, "decisions", TopView.amount(value(figures, "decisions")) + "/s", 0);
        line.append(Sparkline.of(perSecond(now, "allowed", "denied"))).append("   ");
        Double denied = value(figures, "denied");
        figure(line, "denied", TopView.percent(denied), denied != null && denied > 0 ? DENIED : 0);
        line.append(Sparkline.of(perSecond(now, "denied"))).append("   ");
        figure(line, "p99", TopView.amount(value(figures, "p99")) + " µs  ", 0);
        Double degraded = value(figures, "degraded");
        figure(line, "degraded", TopView.percent(degraded) + "  ", degraded != null && degraded > 0 ? DEGRADED : 0);
        Double shed = value(figures, "shed");
        figure(line, "shed", TopView.amount(shed) + "/s", shed != null && shed > 0 ? DENIED : 0);
        return line.toAttributedString();
    }

    private void figure(AttributedStringBuilder line, String name, String value, int colour) {
        line.append(name)
                .append(" ")
                .styled(colour == 0 ? bold() : style(colour).bold(), value)
                .append(" ");
    }

    private static @Nullable Double value(JsonObject figures, String name) {
        JsonObject figure = figures.getJsonObject(name);
        return figure == null ? null : figure.getDouble("value");
    }

    /** The sum of some columns of the last seconds; null where the server has no data. */
    private static List<@Nullable Double> perSecond(JsonObject now, String... names) {
        JsonObject series = now.getJsonObject("series");
        List<@Nullable Double> values = new ArrayList<>();
        if (series != null) {
            JsonArray columns = series.getJsonArray("columns");
            JsonArray points = series.getJsonArray("points");
            for (int i = Math.max(0, points.size() - SPARK_SECONDS); i < points.size(); i++) {
                JsonArray point = points.getJsonArray(i);
                values.add(
                        point == null
                                ? null
                                : Arrays.stream(names)
                                        .mapToDouble(each -> point.getDouble(
                                                columns.getList().indexOf(each)))
                                        .sum());
            }
        }
        return values;
    }

    private void table(List<AttributedString> lines, TopState state, int width, int height) {
        List<JsonObject> rows = state.rows();
        TopView view = state.view();
        int shown = Math.max(1, height - 1);
        int selected = Math.min(state.selected(), Math.max(0, rows.size() - 1));
        int first = Math.max(0, selected - shown + 1);
        List<JsonObject> page = rows.subList(first, Math.min(rows.size(), first + shown));
        int[] widths = TopColumns.widths(view, page, width);
        lines.add(head(state, widths));
        if (rows.isEmpty()) {
            lines.add(plain(state.filter().isEmpty() ? "  (none in the last minute)" : "  (no row has this text)"));
        }
        for (int i = 0; i < page.size(); i++) {
            String line = TopColumns.line(view, page.get(i), widths);
            AttributedStyle style = first + i == selected ? AttributedStyle.DEFAULT.inverse() : AttributedStyle.DEFAULT;
            lines.add(new AttributedString(line, style));
        }
    }

    private AttributedString head(TopState state, int[] widths) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        List<TopView.Column> columns = state.view().columns;
        for (int i = 0; i < columns.size(); i++) {
            String mark = i == state.sort() ? (state.ascending() ? "▲" : "▼") : "";
            String title = columns.get(i).title() + mark;
            line.styled(
                    i == state.sort() ? bold().underline() : bold(),
                    TopColumns.cell(title, widths[i], columns.get(i).number()));
            line.append("  ");
        }
        return line.toAttributedString();
    }

    private AttributedString footer(TopState state) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        if (state.mode() == TopState.Mode.FILTER) {
            return line.append("/")
                    .append(printable(state.filter()))
                    .append("█")
                    .toAttributedString();
        }
        line.styled(bold(), state.view().title);
        line.append(state.isPaused() ? "  PAUSED" : "");
        line.append(state.filter().isEmpty() ? "" : "  with \"" + printable(state.filter()) + "\"");
        return line.append("   ? help  Tab next table  Enter explain  / filter  p pause  q quit")
                .toAttributedString();
    }

    private static AttributedString plain(String text) {
        return new AttributedString(printable(text));
    }

    /** Replaces what would control the terminal, or reverse the text around it. */
    static String printable(String text) {
        return text.replaceAll("[\\p{Cntrl}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }

    private static AttributedStyle bold() {
        return AttributedStyle.BOLD;
    }

    private AttributedStyle style(int rgb) {
        return colours ? AttributedStyle.DEFAULT.foregroundRgb(rgb) : AttributedStyle.DEFAULT;
    }
}

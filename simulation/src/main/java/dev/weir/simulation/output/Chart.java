package dev.weir.simulation.output;

import java.util.ArrayList;
import java.util.List;

/** Draws lines over time in a frame, with a grid behind them and a legend above. */
final class Chart {
    static final int WIDTH = 960;
    static final int HEIGHT = 200;
    static final int LEFT = 72;
    static final int RIGHT = 28;
    private static final int ROWS = 4;
    private static final double LETTER = 6.4;
    private static final double[] ROUND = {1, 1.2, 1.6, 2, 2.5, 3, 4, 5, 6, 8, 10};

    private final Svg svg;
    private final int top;
    private final double highest;
    private final List<String> names = new ArrayList<>();
    private final List<String> styles = new ArrayList<>();

    /** Draws a frame below {@code top}, for values up to {@code most}. */
    Chart(Svg svg, String title, int top, double seconds, double most) {
        this.svg = svg;
        this.top = top;
        this.highest = rounded(most);
        svg.text(LEFT, top - 12, "head", title);
        StringBuilder grid = new StringBuilder();
        for (int row = 0; row <= ROWS; row++) {
            double y = top + HEIGHT - HEIGHT * row / (double) ROWS;
            grid.append('M')
                    .append(LEFT)
                    .append(' ')
                    .append(Svg.number(y))
                    .append('H')
                    .append(WIDTH - RIGHT);
            svg.text(LEFT - 8, y + 4, "end", label(highest * row / ROWS));
        }
        svg.path("grid", grid);
        time(svg, top, seconds);
    }

    /** Draws the time axis below a frame. */
    static void time(Svg svg, int top, double seconds) {
        double step = rounded(seconds / 6);
        for (double at = 0; at <= seconds * 1.001; at += step) {
            svg.text(x(at / seconds), top + HEIGHT + 18.0, "mid", Svg.number(at) + " s");
        }
    }

    void line(String name, String style, double[] values) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < values.length; i++) {
            path.append(i == 0 ? 'M' : 'L').append(point(i, values));
        }
        svg.path("line " + style, path);
        named(name, "line " + style);
    }

    void area(String name, String style, double[] values) {
        StringBuilder path = new StringBuilder("M" + LEFT + " " + (top + HEIGHT));
        for (int i = 0; i < values.length; i++) {
            path.append('L').append(point(i, values));
        }
        svg.path(
                style,
                path.append('L')
                        .append(WIDTH - RIGHT)
                        .append(' ')
                        .append(top + HEIGHT)
                        .append('Z'));
        named(name, style);
    }

    void level(String name, String style, double value) {
        svg.path(style, "M" + LEFT + " " + Svg.number(y(value)) + "H" + (WIDTH - RIGHT));
        named(name, style);
    }

    private void named(String name, String style) {
        names.add(name);
        styles.add(style);
    }

    /** Draws the legend, from the right. */
    void legend() {
        double x = WIDTH - RIGHT;
        for (int i = names.size() - 1; i >= 0; i--) {
            svg.text(x, top - 12, "end", names.get(i));
            x -= names.get(i).length() * LETTER + 6;
            boolean filled = styles.get(i).equals("offered");
            svg.path(
                    styles.get(i),
                    "M" + Svg.number(x - 20) + (filled ? " " + (top - 21) + "h20v10h-20z" : " " + (top - 16) + "h20"));
            x -= 34;
        }
    }

    private String point(int index, double[] values) {
        return Svg.number(x((index + 0.5) / values.length)) + " " + Svg.number(y(values[index]));
    }

    static double x(double share) {
        return LEFT + share * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        return top + HEIGHT - HEIGHT * Math.min(1, value / highest);
    }

    /** The next number that is easy to read. */
    private static double rounded(double value) {
        if (value <= 0) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double step : ROUND) {
            if (step * power >= value * 0.9999) {
                return step * power;
            }
        }
        return 10 * power;
    }

    private static String label(double value) {
        if (value >= 1e6) {
            return Svg.number(value / 1e6) + "M";
        }
        return value >= 1e4 ? Svg.number(value / 1e3) + "k" : Svg.number(value);
    }
}

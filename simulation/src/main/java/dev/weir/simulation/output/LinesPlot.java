package dev.weir.simulation.output;

import java.util.Arrays;
import java.util.Map;

/** Plots lines over time, in charts below each other. */
public final class LinesPlot {
    private static final int FIRST = 100;
    private static final int EACH = Chart.HEIGHT + 84;

    private final Svg svg;
    private final double seconds;
    private int top = FIRST;

    /** Starts a plot of {@code seconds} with room for {@code charts}; {@code facts} stands below the title. */
    public LinesPlot(String title, String facts, double seconds, int charts) {
        this.seconds = seconds;
        this.svg = new Svg(Chart.WIDTH, FIRST + charts * EACH - 48, title);
        svg.text(Chart.LEFT, 28, "title", title);
        svg.text(Chart.LEFT, 48, "", facts);
    }

    /** Adds a chart below the others; {@code lines} has values at equal intervals, by the name of the line. */
    public LinesPlot chart(String title, Map<String, double[]> lines) {
        double most =
                lines.values().stream().flatMapToDouble(Arrays::stream).max().orElse(0);
        Chart chart = new Chart(svg, title, top, seconds, most * 1.02);
        int colour = 0;
        for (Map.Entry<String, double[]> each : lines.entrySet()) {
            chart.line(each.getKey(), "c" + colour++, each.getValue());
        }
        chart.legend();
        top += EACH;
        return this;
    }

    /** The plot as an SVG document. */
    @Override
    public String toString() {
        return svg.toString();
    }
}

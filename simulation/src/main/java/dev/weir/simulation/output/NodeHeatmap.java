package dev.weir.simulation.output;

import dev.weir.simulation.RunTally;

/**
 * Draws admitted requests by node and time, darker for more requests; if there are many nodes, neighbours share a row.
 */
final class NodeHeatmap {
    private static final int MOST_ROWS = 60;
    private static final int COLUMNS = 120;
    private static final int SHADES = 6;

    private NodeHeatmap() {}

    static void draw(Svg svg, String name, RunTally tally, String style, int top, double seconds) {
        int rows = Math.min(MOST_ROWS, tally.nodes());
        double[][] cells = cells(tally, rows);
        String shared =
                tally.nodes() > rows ? ", " + Svg.number(tally.nodes() / (double) rows) + " nodes to a row" : "";
        svg.text(Chart.LEFT, top - 12, "head", "Admitted by node: " + name + shared);
        svg.text(Chart.LEFT - 8, top + 12.0, "end", "node 0");
        svg.text(Chart.LEFT - 8, top + Chart.HEIGHT, "end", "node " + (tally.nodes() - 1));
        double most = 0;
        for (double[] row : cells) {
            for (double each : row) {
                most = Math.max(most, each);
            }
        }
        for (int shade = 1; shade <= SHADES; shade++) {
            StringBuilder path = new StringBuilder();
            for (int row = 0; row < rows; row++) {
                for (int column = 0; column < COLUMNS; column++) {
                    if ((int) Math.ceil(SHADES * cells[row][column] / most) == shade) {
                        add(path, row, rows, column, top);
                    }
                }
            }
            if (!path.isEmpty()) {
                svg.path(style, shade / (double) SHADES, path);
            }
        }
        Chart.time(svg, top, seconds);
    }

    private static double[][] cells(RunTally tally, int rows) {
        double[][] cells = new double[rows][COLUMNS];
        for (int node = 0; node < tally.nodes(); node++) {
            int[] steps = tally.nodeSteps(node);
            int row = (int) ((long) node * rows / tally.nodes());
            for (int i = 0; i < steps.length; i++) {
                cells[row][i * COLUMNS / steps.length] += steps[i];
            }
        }
        return cells;
    }

    private static void add(StringBuilder path, int row, int rows, int column, int top) {
        String width = Svg.number(Chart.x(1.0 / COLUMNS) - Chart.x(0));
        path.append('M')
                .append(Svg.number(Chart.x(column / (double) COLUMNS)))
                .append(' ')
                .append(Svg.number(top + row * Chart.HEIGHT / (double) rows))
                .append('h')
                .append(width)
                .append('v')
                .append(Svg.number(Chart.HEIGHT / (double) rows))
                .append("h-")
                .append(width)
                .append('z');
    }
}

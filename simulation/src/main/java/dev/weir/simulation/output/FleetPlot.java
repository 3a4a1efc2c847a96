package dev.weir.simulation.output;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.simulation.RunResult;
import dev.weir.simulation.RunTally;
import dev.weir.simulation.scenario.Scenario;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Plots a scenario: admitted requests against the limit over time, in total and by node. */
public final class FleetPlot {
    private static final int FIRST = 100;
    private static final int EACH = Chart.HEIGHT + 84;
    private static final int COLOURS = 4;
    private static final double NANOS = 1e9;

    private final Scenario scenario;
    private final List<Map.Entry<String, RunResult>> runs;
    private final @Nullable Limit limit;
    private final Svg svg;
    private final double seconds;

    private FleetPlot(Scenario scenario, Map<String, RunResult> runs) {
        this.scenario = scenario;
        this.runs = List.copyOf(runs.entrySet());
        this.limit = limitOf(scenario);
        this.seconds = scenario.durationNanos() / NANOS;
        int charts = (limit == null ? 1 : 2) + runs.size();
        this.svg = new Svg(Chart.WIDTH, FIRST + charts * EACH - 48, scenario.name());
    }

    /** The whole plot as an SVG document. */
    public static String of(Scenario scenario, Map<String, RunResult> runs) {
        return new FleetPlot(scenario, runs).draw();
    }

    private String draw() {
        svg.text(Chart.LEFT, 28, "title", scenario.name());
        svg.text(Chart.LEFT, 48, "", facts());
        int top = FIRST;
        if (limit != null) {
            windows(limit, top);
            top += EACH;
        }
        rates(top);
        top += EACH;
        for (int i = 0; i < runs.size(); i++) {
            NodeHeatmap.draw(svg, runs.get(i).getKey(), tally(i), "k" + i % COLOURS, top, seconds);
            top += EACH;
        }
        return svg.toString();
    }

    private RunTally tally(int run) {
        return runs.get(run).getValue().tally();
    }

    private String facts() {
        double rate = scenario.traffic().stream()
                .mapToDouble(each -> each.arrivals().rate())
                .sum();
        return SummaryTable.count(scenario.fleet().nodes()) + " nodes, " + SummaryTable.count(scenario.callers())
                + (scenario.callers() == 1 ? " caller, " : " callers, ") + SummaryTable.count(Math.round(rate))
                + " requests a second, seed " + scenario.seed();
    }

    /** The limit of the only rule, if the run spans 1 to 20 of its windows. */
    private static @Nullable Limit limitOf(Scenario scenario) {
        List<Rule> rules = scenario.runs().get(0).rules().rules();
        Limit only = rules.size() == 1 ? rules.get(0).limit() : null;
        if (only == null) {
            return null;
        }
        long windows = scenario.durationNanos() / (only.windowMicros() * 1_000);
        return windows >= 1 && windows <= 20 ? only : null;
    }

    private void windows(Limit limit, int top) {
        double[] ideal = sinceWindow(tally(0).idealSteps(), limit);
        double[][] lines = new double[runs.size()][];
        double most = Math.max(max(ideal), scenario.callers() == 1 ? (double) limit.requests() : 0);
        for (int i = 0; i < lines.length; i++) {
            lines[i] = sinceWindow(tally(i).admittedSteps(), limit);
            most = Math.max(most, max(lines[i]));
        }
        Chart chart = new Chart(svg, "Admitted since the window began", top, seconds, most * 1.02);
        if (scenario.callers() == 1) {
            chart.level("limit", "limit", (double) limit.requests());
        }
        lines(chart, ideal, lines);
    }

    private double[] sinceWindow(long[] steps, Limit limit) {
        long stepNanos = tally(0).stepNanos();
        double[] sums = new double[steps.length];
        long window = 0;
        for (int i = 0; i < steps.length; i++) {
            long now = (i * stepNanos + stepNanos / 2) / (limit.windowMicros() * 1_000);
            sums[i] = steps[i] + (now == window && i > 0 ? sums[i - 1] : 0);
            window = now;
        }
        return sums;
    }

    private void rates(int top) {
        double[] offered = rate(tally(0).offeredSteps());
        double[][] lines = new double[runs.size()][];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = rate(tally(i).admittedSteps());
        }
        Chart chart = new Chart(svg, "Requests a second", top, seconds, max(offered) * 1.02);
        chart.area("offered", "offered", offered);
        lines(chart, rate(tally(0).idealSteps()), lines);
    }

    private void lines(Chart chart, double[] ideal, double[][] lines) {
        chart.line("a single limiter", "ideal", ideal);
        for (int i = lines.length - 1; i >= 0; i--) {
            chart.line(runs.get(i).getKey(), "c" + i % COLOURS, lines[i]);
        }
        chart.legend();
    }

    private double[] rate(long[] steps) {
        double[] rates = new double[steps.length];
        for (int i = 0; i < steps.length; i++) {
            rates[i] = steps[i] * NANOS / tally(0).stepNanos();
        }
        return rates;
    }

    private static double max(double[] values) {
        double most = 0;
        for (double each : values) {
            most = Math.max(most, each);
        }
        return most;
    }
}

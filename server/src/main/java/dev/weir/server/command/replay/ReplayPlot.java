package dev.weir.server.command.replay;

import dev.weir.server.replay.DenialSeries;
import dev.weir.server.replay.ReplayResult;
import dev.weir.simulation.output.LinesPlot;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToLongFunction;

/** Plots the denials and the requests of a replay over time. */
final class ReplayPlot {
    private ReplayPlot() {}

    static String of(ReplayResult result) {
        DenialSeries series = result.series();
        Map<String, double[]> denied = new LinkedHashMap<>();
        if (result.hasBefore()) {
            denied.put(result.beforeName(), rates(series, series::before));
        }
        denied.put(result.now().name(), rates(series, series::now));
        double seconds = series.size() * series.width() / 1e6;
        String facts = String.format(
                Locale.ROOT,
                "%,d requests of %,d callers from %s; %,d more denied, %,d fewer",
                result.totals().requests(),
                result.callers(),
                ReplayReport.time(result.totals().firstMicros()),
                result.totals().more(),
                result.totals().fewer());
        return new LinesPlot("Replay: " + result.now().name(), facts, seconds, 2)
                .chart("denied a second", denied)
                .chart("requests a second", Map.of("requests", rates(series, series::requests)))
                .toString();
    }

    private static double[] rates(DenialSeries series, IntToLongFunction count) {
        double[] rates = new double[series.size()];
        for (int i = 0; i < rates.length; i++) {
            rates[i] = count.applyAsLong(i) * 1e6 / series.width();
        }
        return rates;
    }
}

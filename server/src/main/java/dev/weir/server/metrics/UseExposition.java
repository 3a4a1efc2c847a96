package dev.weir.server.metrics;

import dev.weir.internal.model.Rule;
import java.util.List;
import java.util.function.ToDoubleBiFunction;

/** Writes how close the fullest counter of each rule is to its limit, never by caller. */
final class UseExposition {
    private static final String USED = "ratelimit_utilisation_ratio";
    private static final String LEFT = "ratelimit_remaining";
    private static final String TIER = "tier:";

    private UseExposition() {}

    /**
     * Writes the series.
     *
     * @param byPosition the rule of each position, or null
     * @param use the highest share that a caller attempted lately, by domain and label; NaN if there was none
     */
    static void write(
            Exposition out, List<RuleSeries> series, Rule[] byPosition, ToDoubleBiFunction<String, String> use) {
        double[] used = new double[series.size()];
        for (int i = 0; i < used.length; i++) {
            RuleSeries each = series.get(i);
            double highest = use.applyAsDouble(each.domain(), each.rule());
            used[i] = Double.isNaN(highest) ? 0 : highest;
        }
        out.metric(
                USED,
                "gauge",
                "Attempts divided by the limit, of the rule's fullest counter in the last half minute; above 1, callers"
                        + " were denied. 0 without traffic.");
        for (int i = 0; i < used.length; i++) {
            out.sample(USED, labels(series.get(i), byPosition), used[i]);
        }
        out.metric(
                LEFT,
                "gauge",
                "Share of its limit that the rule's fullest counter had left in the last half minute, from 0 to 1.");
        for (int i = 0; i < used.length; i++) {
            out.sample(LEFT, labels(series.get(i), byPosition), Math.max(0, 1 - used[i]));
        }
    }

    private static String labels(RuleSeries of, Rule[] byPosition) {
        Rule rule = byPosition[of.position()];
        String tier = rule != null && rule.name().startsWith(TIER) ? rule.name().substring(TIER.length()) : "";
        return Exposition.labels("domain", of.domain(), "rule", of.rule(), "tier", tier);
    }
}

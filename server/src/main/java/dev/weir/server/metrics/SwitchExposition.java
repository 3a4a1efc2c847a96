package dev.weir.server.metrics;

import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import java.util.List;

/** Writes what operators and loads have made of the rules: series for each rule, and one for all rules together. */
final class SwitchExposition {
    private static final String ALL = "ratelimit_switch_all";
    private static final String RULE = "ratelimit_switch";
    private static final String ROLLOUT = "ratelimit_rollout_ratio";
    private static final String LOAD_SHARE = "ratelimit_load_share_ratio";

    private SwitchExposition() {}

    /** Writes the series; {@code byPosition} has the rule of each position, or null. */
    static void write(Exposition out, SwitchState everything, List<RuleSeries> series, Rule[] byPosition) {
        out.metric(
                ALL, "gauge", "1 for the state that all rules were switched to: off (all pass, uncounted) or shadow.");
        for (SwitchState each : List.of(SwitchState.OFF, SwitchState.SHADOW)) {
            out.sample(ALL, Exposition.labels("state", each.text()), everything == each ? 1L : 0L);
        }
        out.metric(
                RULE,
                "gauge",
                "1 for the state that the rule was switched to, alone or with all rules; all 0 if it follows"
                        + " its file.");
        for (RuleSeries one : series) {
            Rule rule = byPosition[one.position()];
            for (SwitchState each : SwitchState.values()) {
                out.sample(
                        RULE,
                        Exposition.labels("domain", one.domain(), "rule", one.rule(), "state", each.text()),
                        rule != null && rule.switched() == each ? 1L : 0L);
            }
        }
        out.metric(ROLLOUT, "gauge", "Share of callers that the rule enforces its limit on; 0 in shadow.");
        for (RuleSeries one : series) {
            Rule rule = byPosition[one.position()];
            boolean none = rule != null && (rule.shadow() || rule.isOff());
            double share = rule == null ? 1 : none ? 0 : rule.rollout() / (double) Rule.EVERYONE;
            out.sample(ROLLOUT, Exposition.labels("domain", one.domain(), "rule", one.rule()), share);
        }
        out.metric(LOAD_SHARE, "gauge", "Share of its limit that a rule has in force because of a service's load.");
        for (RuleSeries one : series) {
            Rule rule = byPosition[one.position()];
            double share = rule == null ? 1 : rule.loadShare() / (double) LoadCurve.WHOLE;
            out.sample(LOAD_SHARE, Exposition.labels("domain", one.domain(), "rule", one.rule()), share);
        }
    }
}

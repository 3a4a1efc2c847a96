package dev.weir.server.metrics;

import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import java.util.List;

/** Writes what operators have switched: as many series as there are rules with one, and one for everything. */
final class SwitchExposition {
    private static final String ALL = "ratelimit_switch_all";
    private static final String RULE = "ratelimit_switch";
    private static final String ROLLOUT = "ratelimit_rollout_ratio";

    private SwitchExposition() {}

    /** {@code bySlot}: the rule of each slot, or null. */
    static void write(Exposition out, SwitchState everything, List<SeriesPositions.Series> series, Rule[] bySlot) {
        out.metric(ALL, "gauge", "1 for what everything was switched to: off (all pass, uncounted) or shadow.");
        for (SwitchState each : List.of(SwitchState.OFF, SwitchState.SHADOW)) {
            out.sample(ALL, Exposition.labels("state", each.spelling()), everything == each ? 1L : 0L);
        }
        out.metric(
                RULE,
                "gauge",
                "1 for what the rule was switched to while it runs, by itself or with everything; all 0: as its file says.");
        for (SeriesPositions.Series one : series) {
            Rule rule = bySlot[one.slot];
            for (SwitchState each : SwitchState.values()) {
                out.sample(
                        RULE,
                        Exposition.labels("domain", one.domain, "rule", one.rule, "state", each.spelling()),
                        rule != null && rule.switched() == each ? 1L : 0L);
            }
        }
        out.metric(ROLLOUT, "gauge", "The share of callers that the rule denies when they are over; 0 in shadow.");
        for (SeriesPositions.Series one : series) {
            Rule rule = bySlot[one.slot];
            boolean none = rule != null && (rule.shadow() || rule.isOff());
            double share = rule == null ? 1 : none ? 0 : rule.rollout() / (double) Rule.EVERYONE;
            out.sample(ROLLOUT, Exposition.labels("domain", one.domain, "rule", one.rule), share);
        }
    }
}

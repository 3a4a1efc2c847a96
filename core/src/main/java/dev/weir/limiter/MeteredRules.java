package dev.weir.limiter;

import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Meters;
import dev.weir.match.RuleSet;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A rule set with the meter of each rule, found by the rule's ordinal. */
final class MeteredRules {
    /** Lets nothing pass: how a rule denies what lacks its key, in one decision with everything else. */
    static final Meter DENY = Meters.of(Limit.fixedWindow(0, Duration.ofSeconds(1)));

    private final RuleSet rules;
    private final @Nullable Meter[] meters;

    private MeteredRules(RuleSet rules, @Nullable Meter[] meters) {
        this.rules = rules;
        this.meters = meters;
    }

    static MeteredRules of(RuleSet rules) {
        @Nullable Meter[] meters = new Meter[rules.rules().size()];
        for (Rule rule : rules.rules()) {
            Limit limit = rule.limit();
            if (limit != null) {
                meters[rule.ordinal()] = meter(rule, limit);
            }
        }
        return new MeteredRules(rules, meters);
    }

    private static Meter meter(Rule rule, Limit limit) {
        String refusal = Meters.refusal(limit);
        if (refusal != null) {
            throw new IllegalArgumentException(rule + ": " + refusal);
        }
        return Meters.of(limit);
    }

    RuleSet rules() {
        return rules;
    }

    /** The meter of one of the rules, or null where it says {@code unlimited}. */
    @Nullable
    Meter meter(Rule rule) {
        return meters[rule.ordinal()];
    }
}

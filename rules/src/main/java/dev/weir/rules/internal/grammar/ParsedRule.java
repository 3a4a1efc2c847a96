package dev.weir.rules.internal.grammar;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Escalation;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.rules.internal.grammar.MatchReader.MatchClause;
import dev.weir.text.diagnostics.Position;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A rule in Weir's format as it was read, before it has a label.
 *
 * @param name empty if the file gives none
 * @param rollout how many of ten thousand callers it denies
 * @param follows how its limit follows a load; null if it does not
 * @param reserve thousandths that only critical requests may use; {@link Rule#NO_RESERVE} if it is no capacity
 * @param reputation how its limit shrinks for callers with a bad reputation; null if it does not
 * @param escalation when it bans callers; null if it never does
 */
record ParsedRule(
        Position at,
        String name,
        List<MatchClause> match,
        KeyBy key,
        Limit limit,
        long cost,
        boolean shadow,
        int rollout,
        OverLimit over,
        @Nullable LoadCurve follows,
        int reserve,
        @Nullable ReputationScale reputation,
        Behaviour behaviour,
        @Nullable Escalation escalation,
        Pricing pricing) {

    /** The reports in each window of a capacity. */
    private static final int REPORTS = 25;
    /** Less than the 50 ms between two ticks, so that each tick reports. */
    private static final long LEAST_REPORT_MICROS = 40_000;

    WeirRule rule(String domain, String label, String source) {
        String id = name.isEmpty() ? RuleIdentity.unnamed(domain, this) : name;
        RuleBuilder rule = Rule.builder(domain, id)
                .name(name)
                .label(label)
                .limit(behaviour.scope().partOf(limit))
                .cost(cost)
                .shadow(shadow)
                .rollout(rollout)
                .queue(over.queue())
                .tarpitMicros(over.tarpitMicros())
                .follows(follows)
                .reserve(reserve)
                .reputation(reputation)
                .escalation(escalation)
                .source(source);
        RuleBuilder complete = pricing.applyTo(behaviour.applyTo(rule), behaviour.ignoresCase())
                .reportIntervalMicros(reportInterval());
        return new WeirRule(
                complete.scope(behaviour.scope().of(limit)).build(),
                match.stream().map(MatchClause::condition).toList(),
                key,
                behaviour.ignoresCase());
    }

    /**
     * How often a node reports. A capacity is reported more often than other limits unless its file says how often: nodes
     * that do not hear of each other each admit all that is left, in a service that is overloaded.
     */
    private long reportInterval() {
        long given = behaviour.reportIntervalMicros();
        boolean shortens = reserve != Rule.NO_RESERVE
                && behaviour.consistency() == Consistency.REPORTED
                && given == Rule.DEFAULT_INTERVAL_MICROS;
        return shortens ? Math.min(given, Math.max(LEAST_REPORT_MICROS, limit.windowMicros() / REPORTS)) : given;
    }

    /** Describes for people what the rule matches. */
    String matchText() {
        return match.isEmpty()
                ? "everything"
                : match.stream().map(MatchClause::toString).collect(Collectors.joining(", "));
    }

    /** Describes for people which requests share a counter. */
    String keyText() {
        return key.parts().isEmpty()
                ? "all together"
                : "by "
                        + key.parts().stream()
                                .map(part -> String.join("|", part))
                                .collect(Collectors.joining(":"));
    }
}

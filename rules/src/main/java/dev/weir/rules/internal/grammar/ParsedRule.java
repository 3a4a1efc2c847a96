package dev.weir.rules.internal.grammar;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Escalation;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
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
        Behaviour behaviour,
        @Nullable Escalation escalation,
        Pricing pricing) {

    WeirRule rule(String domain, String label, String source) {
        String id = name.isEmpty() ? RuleIdentity.unnamed(domain, this) : name;
        RuleBuilder rule = Rule.builder(domain, id)
                .name(name)
                .label(label)
                .limit(limit)
                .cost(cost)
                .shadow(shadow)
                .rollout(rollout)
                .queue(over.queue())
                .tarpitMicros(over.tarpitMicros())
                .follows(follows)
                .escalation(escalation)
                .source(source);
        return new WeirRule(
                pricing.applyTo(behaviour.applyTo(rule), behaviour.ignoresCase())
                        .build(),
                match.stream().map(MatchClause::condition).toList(),
                key,
                behaviour.ignoresCase());
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

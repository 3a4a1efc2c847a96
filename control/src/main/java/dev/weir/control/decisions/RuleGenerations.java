package dev.weir.control.decisions;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force and those before them: a decision in flight during a change may still refer to rules of the latter.
 */
public record RuleGenerations(
        @Nullable RuleIndex now, @Nullable RuleIndex before) {

    /** No rules yet. */
    public static final RuleGenerations NONE = new RuleGenerations(null, null);

    /** Returns the generations once {@code rules} are in force. */
    public RuleGenerations next(RuleIndex rules) {
        return new RuleGenerations(rules, now);
    }

    /** The rules that made {@code decision}. */
    public @Nullable RuleIndex of(MutableDecision decision) {
        Rule rule = decision.size() == 0 ? null : decision.verdict(0).rule();
        return rule == null || now == null || isOf(now, rule) ? now : before;
    }

    private static boolean isOf(RuleIndex rules, Rule rule) {
        int ordinal = rule.ordinal();
        return ordinal >= 0 && ordinal < rules.rules().size() && rules.rules().get(ordinal) == rule;
    }
}

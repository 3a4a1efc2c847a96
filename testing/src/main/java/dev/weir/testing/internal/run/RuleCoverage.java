package dev.weir.testing.internal.run;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.List;

/** How many requests met each rule of a rule set, and how many it denied. */
public final class RuleCoverage {
    private final List<Rule> rules;
    private final long[] met;
    private final long[] denied;

    /** Creates the coverage of {@code rules}, of which nothing is met yet. */
    public RuleCoverage(RuleIndex rules) {
        this.rules = rules.rules();
        this.met = new long[this.rules.size()];
        this.denied = new long[this.rules.size()];
    }

    void add(MutableDecision decision) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            // An index with quotas has rules more: one for each domain, which stands for limits that no file names.
            if (rule != null && rule.ordinal() < met.length) {
                met[rule.ordinal()]++;
                denied[rule.ordinal()] += verdict.allowed() ? 0 : 1;
            }
        }
    }

    /** Adds the counts of {@code other}, which is of the same rule set. */
    public void add(RuleCoverage other) {
        for (int i = 0; i < met.length; i++) {
            met[i] += other.met[i];
            denied[i] += other.denied[i];
        }
    }

    /** The rules, in the order of their files. */
    public List<Rule> rules() {
        return rules;
    }

    /** How many requests met the rule at {@code index} of {@link #rules}. */
    public long met(int index) {
        return met[index];
    }

    /** How many requests the rule at {@code index} of {@link #rules} denied, or would have in shadow. */
    public long denied(int index) {
        return denied[index];
    }
}

package dev.weir.server.rules;

import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.match.override.ReputationLookup;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import java.util.function.UnaryOperator;

/**
 * Compiles rules.
 *
 * @param endpointForm the form in which rules in Weir's format compare endpoints
 * @param slices returns a rule with the slice that its region has in force
 * @param underLoad returns a rule with the limit that its load leaves in force
 * @param reputations looks up the reputation of callers
 */
public record RuleCompiler(
        EndpointForm endpointForm, SliceChanges slices, UnaryOperator<Rule> underLoad, ReputationLookup reputations) {
    RuleIndex compile(WrittenRules rules, OverrideLookup quotas, RuleSwitches switches) {
        return RuleIndex.of(
                rules, quotas, switches, endpointForm, rule -> underLoad.apply(slices.apply(rule)), reputations);
    }
}

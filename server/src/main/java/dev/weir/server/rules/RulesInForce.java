package dev.weir.server.rules;

import dev.weir.control.rules.RuleLayers;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.List;
import java.util.function.Supplier;

/**
 * The rules as operators see them.
 *
 * @param below all but those of the database
 * @param all those in force: the database's over the others
 * @param sources where all but those of the database come from, the lower layer first
 */
public record RulesInForce(
        Supplier<RuleLayers> below, Supplier<RuleIndex> all, Supplier<List<RuleSourceView>> sources) {}

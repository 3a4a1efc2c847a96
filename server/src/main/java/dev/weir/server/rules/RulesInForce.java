package dev.weir.server.rules;

import dev.weir.control.rules.RuleLayers;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.List;
import java.util.function.Supplier;

/**
 * The rules, as operators see them.
 *
 * @param below the rules below the database
 * @param all the rules in force, with those of the database on top
 * @param sources the sources, lowest layer first
 */
public record RulesInForce(
        Supplier<RuleLayers> below, Supplier<RuleIndex> all, Supplier<List<RuleSourceView>> sources) {}

package dev.weir.server.admin;

import dev.weir.match.RuleSet;
import java.util.function.Supplier;

/**
 * The rules as operators see them.
 *
 * @param files those of the files alone
 * @param all those in force: the database's over the files'
 */
public record RulesInForce(Supplier<RuleSet> files, Supplier<RuleSet> all) {}

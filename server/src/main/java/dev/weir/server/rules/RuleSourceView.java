package dev.weir.server.rules;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A source of rules, as operators see it.
 *
 * @param rules the number of rules that it provides
 * @param hidden how many of them a higher layer overrides
 * @param connected whether the source is reachable
 * @param current whether the rules that it holds are in force
 * @param problem why it is not connected or not current; empty if it is both
 * @param version the source's own name for the version in force; empty if it has none
 * @param changed when this version came into force, if known
 */
public record RuleSourceView(
        String source,
        int rules,
        int hidden,
        boolean connected,
        boolean current,
        String problem,
        String version,
        @Nullable Instant changed) {}

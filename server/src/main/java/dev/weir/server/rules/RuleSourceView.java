package dev.weir.server.rules;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A source of rules as operators see it.
 *
 * @param rules how many it gives
 * @param hidden how many of these a later source has taken the place of
 * @param connected whether it is there
 * @param current whether what it holds is what is in force
 * @param problem why it is not connected or not current; empty while all is well
 * @param version what the source calls what is in force; empty where it has no such word
 * @param changed when that came into force, where that is known
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

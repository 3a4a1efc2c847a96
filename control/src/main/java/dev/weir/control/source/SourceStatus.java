package dev.weir.control.source;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a source.
 *
 * @param connected whether the last attempt to reach it succeeded
 * @param current whether its latest rules are in force
 * @param problem why it is not connected or not current; empty otherwise
 * @param version the source's version of the rules in force
 * @param changed when those rules came into force; null before the first
 * @param documents the number of documents in force
 * @param rules the number of rules in force
 */
public record SourceStatus(
        String source,
        boolean connected,
        boolean current,
        String problem,
        String version,
        @Nullable Instant changed,
        int documents,
        int rules) {}

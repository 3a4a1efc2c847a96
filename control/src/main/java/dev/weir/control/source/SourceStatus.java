package dev.weir.control.source;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a source is.
 *
 * @param connected whether it was there when it was last heard of
 * @param current whether what it holds is what is in force
 * @param problem why it is not connected or not current; empty while all is well
 * @param version what the source calls what is in force
 * @param changed when that came into force; null while there is none
 * @param documents in what is in force
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

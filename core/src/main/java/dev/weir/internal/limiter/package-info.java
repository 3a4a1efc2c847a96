/**
 * Decides requests: matches them against the rule set in force, and asks the memory store or the shared path. Bytes,
 * headers and files may not come in.
 */
@NullMarked
package dev.weir.internal.limiter;

import org.jspecify.annotations.NullMarked;

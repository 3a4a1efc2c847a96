/**
 * The decision path: a request meets the rule set, becomes checks, and comes back from the store as a decision. Bytes, headers
 * and files do not come in.
 */
@NullMarked
package dev.weir.limiter;

import org.jspecify.annotations.NullMarked;

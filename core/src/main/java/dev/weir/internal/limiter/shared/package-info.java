/**
 * Decides requests with counters in shared stores: the local tier first, then the stores, then the failure policy of
 * the rule. Matching and writing verdicts belong to other packages; what kind of store it asks may not come in.
 */
@NullMarked
package dev.weir.internal.limiter.shared;

import org.jspecify.annotations.NullMarked;

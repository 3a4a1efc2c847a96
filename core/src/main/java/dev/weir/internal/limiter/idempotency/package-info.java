/**
 * Bounds what idempotency keys may cost: how many are kept, how often they are looked up, and which are known to be
 * new. Counters and the state of a request in flight may not come in.
 */
@NullMarked
package dev.weir.internal.limiter.idempotency;

import org.jspecify.annotations.NullMarked;

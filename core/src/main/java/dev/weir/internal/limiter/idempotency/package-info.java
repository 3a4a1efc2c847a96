/**
 * Bounds what idempotency keys may cost: how many are kept, and how often they are looked up. Counters and the state of a request in flight may not come in.
 */
@NullMarked
package dev.weir.internal.limiter.idempotency;

import org.jspecify.annotations.NullMarked;

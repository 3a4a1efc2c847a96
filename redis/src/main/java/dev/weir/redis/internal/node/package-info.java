/**
 * One Redis server as the store uses it: a batcher for each connection, the breaker, the probe that closes it, health,
 * log lines and counts. Which node serves a counter does not come in: that is routing's.
 */
@NullMarked
package dev.weir.redis.internal.node;

import org.jspecify.annotations.NullMarked;

/**
 * The simulated Redis and the network between it and each node, with their faults: delay, loss, pauses, failover to a
 * stale replica. Batching and deadlines are the real batcher's, limits are the real meters'; decisions and rules do
 * not come in.
 */
@NullMarked
package dev.weir.simulation.store;

import org.jspecify.annotations.NullMarked;

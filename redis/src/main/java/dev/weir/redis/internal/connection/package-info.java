/**
 * One connection to one Redis server: opening it with Lettuce, sending commands, reconnecting, noticing that it is
 * dead, reading Redis's errors. Batches, breakers and the cluster do not come in: a connection does not know what its
 * commands are for.
 */
@NullMarked
package dev.weir.redis.internal.connection;

import org.jspecify.annotations.NullMarked;

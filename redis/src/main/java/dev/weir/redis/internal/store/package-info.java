/**
 * The shared store on Redis, put together from routing, nodes and script; it answers asks and never throws. Rules and
 * requests do not come in: the store knows checks and meters.
 */
@NullMarked
package dev.weir.redis.internal.store;

import org.jspecify.annotations.NullMarked;

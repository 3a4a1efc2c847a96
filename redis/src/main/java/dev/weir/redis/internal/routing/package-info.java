/**
 * Which node serves which hash slot, standalone, behind Sentinel or in a cluster, and commands that follow redirects.
 * Checks and batches do not come in.
 */
@NullMarked
package dev.weir.redis.internal.routing;

import org.jspecify.annotations.NullMarked;

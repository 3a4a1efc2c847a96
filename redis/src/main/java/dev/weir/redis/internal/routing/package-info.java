/**
 * Finds the node that serves a hash slot (standalone, behind Sentinel or in a cluster), and sends commands that follow
 * redirects. Checks and batches do not come in.
 */
@NullMarked
package dev.weir.redis.internal.routing;

import org.jspecify.annotations.NullMarked;

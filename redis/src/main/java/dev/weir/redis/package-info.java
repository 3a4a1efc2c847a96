/**
 * The shared store on Redis: scripts, routing, coalescing, breakers. It knows checks and meters; it does not know what a rule or
 * a request is.
 */
@NullMarked
package dev.weir.redis;

import org.jspecify.annotations.NullMarked;

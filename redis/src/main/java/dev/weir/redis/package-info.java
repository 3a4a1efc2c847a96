/**
 * The shared store on Redis: connections, routing, breakers, and the scripts that lanes of {@link dev.weir.coalesce} have it call. It
 * knows checks and meters; it does not know what a rule or a request is.
 */
@NullMarked
package dev.weir.redis;

import org.jspecify.annotations.NullMarked;

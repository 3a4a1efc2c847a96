/**
 * A Redis as Weir uses it: its address, and everything that a store on it is built from. Connections and commands do not come in.
 */
@NullMarked
package dev.weir.redis.internal.settings;

import org.jspecify.annotations.NullMarked;

/**
 * Describes a Redis and its options: address, credentials, TLS, deadlines, breaker. Connections and commands do not
 * belong here: they are internal.
 */
@NullMarked
package dev.weir.redis;

import org.jspecify.annotations.NullMarked;

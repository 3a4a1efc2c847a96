/**
 * Says where a Redis is and how to use it: address, credentials, TLS, deadlines, breaker. Connections and commands do
 * not come in: they are internal.
 */
@NullMarked
package dev.weir.redis;

import org.jspecify.annotations.NullMarked;

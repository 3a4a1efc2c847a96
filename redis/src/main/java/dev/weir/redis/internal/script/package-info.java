/**
 * The Lua script that decides in Redis and its Java side: a batch of checks goes out as a program, comes back as
 * states, and is replayed by the meters. No connection, thread or clock comes in.
 */
@NullMarked
package dev.weir.redis.internal.script;

import org.jspecify.annotations.NullMarked;

/**
 * The script that decides in Redis, and what speaks with it: a batch of checks goes out as a program and comes back as states,
 * from which the meters of core tell each outcome. No connection, no thread and no clock comes in here.
 */
@NullMarked
package dev.weir.redis.script;

import org.jspecify.annotations.NullMarked;

/**
 * Weir as a library for services that share their limits: a limiter with its stores, its timer and its end in one object. Nothing
 * below knows of it.
 */
@NullMarked
package dev.weir.redis.library;

import org.jspecify.annotations.NullMarked;

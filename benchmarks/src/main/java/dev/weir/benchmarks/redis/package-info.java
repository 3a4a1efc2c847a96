/**
 * Benchmarks of limits shared through Redis: the store, leases and whole servers, beside Bucket4j, one script per
 * call, and envoyproxy/ratelimit. Benchmarks that need no Redis belong in the other rooms.
 */
@NullMarked
package dev.weir.benchmarks.redis;

import org.jspecify.annotations.NullMarked;

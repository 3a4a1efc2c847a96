/**
 * Real Redis processes for tests, alone, in a cluster and under sentinels, and a proxy that does to a connection what networks
 * do. Nothing of Weir comes in: other modules' tests and benchmarks use the kit as well.
 */
@NullMarked
package dev.weir.redis.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * Runs policy tests: the real limiter on virtual time, with its counters in memory or in a simulated Redis. Nothing here
 * reads files or prints.
 */
@NullMarked
package dev.weir.testing.internal.run;

import org.jspecify.annotations.NullMarked;

/**
 * Benchmarks of one process without a network (memory store, matching, overrides), and the tools that all benchmarks
 * share. Nothing here runs in a build; {@code benchmarks/run} starts it.
 */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;

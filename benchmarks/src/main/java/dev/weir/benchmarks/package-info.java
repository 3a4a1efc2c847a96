/**
 * A benchmark for each claim about speed and size, with the peer beside it in the same run. Nothing here runs in a build;
 * {@code benchmarks/run} does.
 */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;

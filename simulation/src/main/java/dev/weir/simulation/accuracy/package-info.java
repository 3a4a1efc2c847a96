/**
 * Measures how well the sliding window counter estimates the exact log on a given traffic. The fleet does not come in:
 * this is about the algorithm alone.
 */
@NullMarked
package dev.weir.simulation.accuracy;

import org.jspecify.annotations.NullMarked;

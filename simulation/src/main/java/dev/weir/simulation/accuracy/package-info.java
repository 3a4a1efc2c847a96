/**
 * How well two counters tell what happened in a sliding window, on one kind of traffic after the other. No fleet comes in: this is
 * about the algorithm alone.
 */
@NullMarked
package dev.weir.simulation.accuracy;

import org.jspecify.annotations.NullMarked;

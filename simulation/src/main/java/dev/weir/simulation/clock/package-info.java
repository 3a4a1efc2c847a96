/**
 * Virtual time: the queue of events, and the clocks of each machine with their skew and drift. No thread sleeps here,
 * and no real clock is read.
 */
@NullMarked
package dev.weir.simulation.clock;

import org.jspecify.annotations.NullMarked;

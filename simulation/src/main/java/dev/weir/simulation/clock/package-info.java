/**
 * Virtual time: what happens next, and what the clock of each machine shows of it. No thread sleeps here, and nobody reads a clock
 * of the real world.
 */
@NullMarked
package dev.weir.simulation.clock;

import org.jspecify.annotations.NullMarked;

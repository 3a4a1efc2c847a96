/**
 * The nodes of a fleet, each with the real limiter or the textbook limiter it is compared with, on a virtual clock.
 * Traffic and the schedule of faults belong elsewhere.
 */
@NullMarked
package dev.weir.simulation.fleet;

import org.jspecify.annotations.NullMarked;

/**
 * The store that the fleet shares, and each node's way to it, with all that goes wrong between them. What a limit means is the
 * meters' business; what a decision is, nobody knows here.
 */
@NullMarked
package dev.weir.simulation.store;

import org.jspecify.annotations.NullMarked;

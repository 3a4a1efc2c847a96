/**
 * The store that the fleet shares, and the network between it and each node, with all that goes wrong on both. When what is sent is the
 * lanes' business, what a limit means the meters'; what a decision is, nobody knows here.
 */
@NullMarked
package dev.weir.simulation.store;

import org.jspecify.annotations.NullMarked;

/**
 * Nodes that decide: real limiters on virtual clocks, and the peer they are compared with. When requests come and what goes wrong is
 * decided elsewhere.
 */
@NullMarked
package dev.weir.simulation.fleet;

import org.jspecify.annotations.NullMarked;

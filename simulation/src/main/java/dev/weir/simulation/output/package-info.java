/**
 * Shows results to people, as a table and as SVG plots. Nothing is computed here that a result does not hold.
 */
@NullMarked
package dev.weir.simulation.output;

import org.jspecify.annotations.NullMarked;

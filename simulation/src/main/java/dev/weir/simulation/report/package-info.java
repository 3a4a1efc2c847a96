/**
 * What came of runs, for people: a table and plots. Nothing is computed here that a result does not know.
 */
@NullMarked
package dev.weir.simulation.report;

import org.jspecify.annotations.NullMarked;

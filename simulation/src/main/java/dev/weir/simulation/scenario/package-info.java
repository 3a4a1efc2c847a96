/**
 * Scenario files: the parts of an experiment, read from YAML, with the position of every mistake. Nothing runs here.
 */
@NullMarked
package dev.weir.simulation.scenario;

import org.jspecify.annotations.NullMarked;

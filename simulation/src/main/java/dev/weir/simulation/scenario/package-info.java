/**
 * Scenario files: what an experiment consists of, read from YAML with the place of every mistake. Nothing runs here.
 */
@NullMarked
package dev.weir.simulation.scenario;

import org.jspecify.annotations.NullMarked;

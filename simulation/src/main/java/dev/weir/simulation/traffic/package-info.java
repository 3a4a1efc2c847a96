/**
 * Who sends, when, and to which node: arrivals, callers and their manners. Nobody here knows what a limit is or how it is decided.
 */
@NullMarked
package dev.weir.simulation.traffic;

import org.jspecify.annotations.NullMarked;

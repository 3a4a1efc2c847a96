/**
 * The reference: what one limiter with full knowledge would have decided, and the accounts of every counter that show
 * whether a bound was broken. It only observes; no node asks it before a decision.
 */
@NullMarked
package dev.weir.simulation.oracle;

import org.jspecify.annotations.NullMarked;

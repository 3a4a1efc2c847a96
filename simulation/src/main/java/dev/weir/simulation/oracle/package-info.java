/**
 * What a single, all-knowing limiter would have said, and the books that show whether the fleet kept its bounds. It watches; nobody
 * asks it before a decision.
 */
@NullMarked
package dev.weir.simulation.oracle;

import org.jspecify.annotations.NullMarked;

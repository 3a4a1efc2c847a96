/**
 * The interface between the limiter and its stores: checks go in, outcomes come back. A store knows counters and
 * meters; rules and requests may not come in.
 */
@NullMarked
package dev.weir.internal.store;

import org.jspecify.annotations.NullMarked;

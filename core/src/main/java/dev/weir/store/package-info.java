/**
 * Where counters live, seen from above: checks go in, outcomes come back. A store knows keys and meters; it does not know
 * what a rule or a request is.
 */
@NullMarked
package dev.weir.store;

import org.jspecify.annotations.NullMarked;

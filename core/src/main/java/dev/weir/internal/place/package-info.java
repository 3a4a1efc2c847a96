/**
 * Decides a request whose counters live in several places: this process, stores, hash slots of a store. It knows checks, deadlines
 * and what each place took; how a place is reached, and rules and connections, may not come in.
 */
@NullMarked
package dev.weir.internal.place;

import org.jspecify.annotations.NullMarked;

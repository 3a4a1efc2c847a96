/**
 * Decides a request whose counters live in several places: this process, stores, hash slots of a store. It knows
 * checks, deadlines and the hits that each place took. Rules, connections and the way to a place do not belong here.
 */
@NullMarked
package dev.weir.internal.place;

import org.jspecify.annotations.NullMarked;

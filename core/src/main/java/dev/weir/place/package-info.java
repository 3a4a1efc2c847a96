/**
 * Decides a request whose counters live in several places: this process, stores, slots of a store. It knows checks, deadlines and what
 * was taken where; how a place is reached, what a rule is and what a connection is do not come in.
 */
@NullMarked
package dev.weir.place;

import org.jspecify.annotations.NullMarked;

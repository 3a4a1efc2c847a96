/**
 * One run of a fleet in one thread on virtual time: real limiters, a simulated store, injected faults, and an oracle
 * that checks the bounds. All randomness comes from the seed; no socket, thread or real clock comes in.
 */
@NullMarked
package dev.weir.simulation;

import org.jspecify.annotations.NullMarked;

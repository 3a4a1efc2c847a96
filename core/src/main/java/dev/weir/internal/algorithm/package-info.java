/**
 * One class for each algorithm: pure functions from state, time and hits to the next state and an outcome, on whole
 * numbers below 2^53. No clock, store or rule may come in; the Redis scripts repeat this arithmetic to the last digit.
 */
@NullMarked
package dev.weir.internal.algorithm;

import org.jspecify.annotations.NullMarked;

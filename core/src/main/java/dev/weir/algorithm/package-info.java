/**
 * One class for each way of counting: pure functions on whole numbers, with time as a parameter. No clock, no store, no rule
 * comes in here; the Redis scripts are these classes' twins.
 */
@NullMarked
package dev.weir.algorithm;

import org.jspecify.annotations.NullMarked;

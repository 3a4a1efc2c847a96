/**
 * Reads and resets single counters for operators. Nothing on the path of a decision may use it.
 */
@NullMarked
package dev.weir.redis.internal.inspection;

import org.jspecify.annotations.NullMarked;

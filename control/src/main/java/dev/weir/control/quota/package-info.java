/**
 * Tiers and limits agreed with single callers: in the database, and in memory for the decision path. How changes are made and
 * followed does not come in.
 */
@NullMarked
package dev.weir.control.quota;

import org.jspecify.annotations.NullMarked;

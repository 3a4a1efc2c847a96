/**
 * From a request to the rules it meets and the counters they use: the rules as they are written, and
 * the index that they are compiled into. Nothing here counts,
 * and nothing here reads a file.
 */
@NullMarked
package dev.weir.match;

import org.jspecify.annotations.NullMarked;

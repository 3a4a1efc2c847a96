/**
 * From a request to the rules it meets and the counters they use: the compiled forms of both spellings. Nothing here counts,
 * and nothing here reads a file.
 */
@NullMarked
package dev.weir.match;

import org.jspecify.annotations.NullMarked;

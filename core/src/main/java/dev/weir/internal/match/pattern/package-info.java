/**
 * The patterns that a rule compares attribute values with: exact text, glob, regular expression, endpoint, address
 * block. Every pattern decides in linear time and allocates nothing; rules and requests may not come in.
 */
@NullMarked
package dev.weir.internal.match.pattern;

import org.jspecify.annotations.NullMarked;

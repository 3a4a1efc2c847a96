/**
 * The patterns that a rule compares attribute values with: exact text, glob, regular expression, endpoint, address
 * block; and the one spelling of endpoints and addresses. Every pattern decides in linear time and allocates nothing; rules and requests may not come in.
 */
@NullMarked
package dev.weir.internal.match.pattern;

import org.jspecify.annotations.NullMarked;

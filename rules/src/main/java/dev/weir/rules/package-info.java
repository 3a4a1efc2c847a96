/**
 * Rule files in both spellings: read, validated, compiled into a rule set, and watched. Counting and networks do not come in.
 */
@NullMarked
package dev.weir.rules;

import org.jspecify.annotations.NullMarked;

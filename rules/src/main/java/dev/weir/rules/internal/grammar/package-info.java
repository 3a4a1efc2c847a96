/**
 * The meaning of the fields of a rule file, in both formats, and the errors for every mistake in them. Files and
 * folders do not come in: the grammar works on one parsed document at a time.
 */
@NullMarked
package dev.weir.rules.internal.grammar;

import org.jspecify.annotations.NullMarked;

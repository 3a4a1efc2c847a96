/**
 * What the fields of a rule file mean, in both formats, and every mistake that can be made in them. Files and folders
 * do not come in: the grammar works on one parsed document at a time.
 */
@NullMarked
package dev.weir.rules.internal.grammar;

import org.jspecify.annotations.NullMarked;

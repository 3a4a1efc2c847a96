/**
 * What the fields of a rule file mean, in both spellings, and everything that can be wrong with them. Files and folders do not
 * come in: this works on one parsed document at a time.
 */
@NullMarked
package dev.weir.rules.grammar;

import org.jspecify.annotations.NullMarked;

/**
 * What was wrong with a rule file, where, and what was probably meant. Nothing here knows what a rule is.
 */
@NullMarked
package dev.weir.rules.diagnostics;

import org.jspecify.annotations.NullMarked;

/**
 * Explains to people why a rule applies to a request or does not, and what a verdict says. It is never on the decision
 * path; nothing here may decide or count.
 */
@NullMarked
package dev.weir.internal.explain;

import org.jspecify.annotations.NullMarked;

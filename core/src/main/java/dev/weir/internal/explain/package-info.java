/**
 * Explains to people why a rule applies to a request or does not, and what a verdict means. The decision path never
 * uses it; code that decides or counts does not belong here.
 */
@NullMarked
package dev.weir.internal.explain;

import org.jspecify.annotations.NullMarked;

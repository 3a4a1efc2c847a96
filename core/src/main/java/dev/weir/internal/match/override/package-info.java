/**
 * Overrides: limits set for single callers, how they are looked up, and how they replace the limits of matched rules.
 * Where overrides are stored, and who sets them, may not come in.
 */
@NullMarked
package dev.weir.internal.match.override;

import org.jspecify.annotations.NullMarked;

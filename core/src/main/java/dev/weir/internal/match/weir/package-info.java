/**
 * A domain in Weir's format: its rules as written, and their index by exact attribute values. Envoy's format may not
 * come in.
 */
@NullMarked
package dev.weir.internal.match.weir;

import org.jspecify.annotations.NullMarked;

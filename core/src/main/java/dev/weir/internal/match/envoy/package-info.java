/**
 * A domain in Envoy's format: the tree of descriptors as written, and its compiled form. Weir's format may not come
 * in.
 */
@NullMarked
package dev.weir.internal.match.envoy;

import org.jspecify.annotations.NullMarked;

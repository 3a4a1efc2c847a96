/**
 * The result of matching a request, the scratch buffers that matching reuses, and the interface of a compiled domain.
 * The compiled forms of the two formats live in {@code match.envoy} and {@code match.weir}; nothing here may depend on
 * them.
 */
@NullMarked
package dev.weir.internal.match;

import org.jspecify.annotations.NullMarked;

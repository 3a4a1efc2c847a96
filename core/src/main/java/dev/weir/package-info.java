/**
 * The public API of Weir as a library: the limiters, their requests and decisions, and their options. Only types that
 * users need belong here; all code that decides, counts or connects is in {@code dev.weir.internal}.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;

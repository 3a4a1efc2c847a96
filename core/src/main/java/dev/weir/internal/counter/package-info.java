/**
 * The identity of a counter: its seeded 128-bit hash for the memory of this process, and its printable name for shared
 * stores. Rules, requests and stores may not come in.
 */
@NullMarked
package dev.weir.internal.counter;

import org.jspecify.annotations.NullMarked;

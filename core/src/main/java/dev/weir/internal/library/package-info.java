/**
 * Weir inside a user's process: a limiter with its stores and its timer, and the warnings for users of the library. The
 * public types are built on it. The server does not use it, because it owns its stores and timers itself.
 */
@NullMarked
package dev.weir.internal.library;

import org.jspecify.annotations.NullMarked;

/**
 * Weir inside a user's process: a limiter with the stores it opened, its timer and its end, and the warnings that a user of the
 * library sees. The public types are made of it; a server, which owns its stores and timers itself, does not use it.
 */
@NullMarked
package dev.weir.internal.library;

import org.jspecify.annotations.NullMarked;

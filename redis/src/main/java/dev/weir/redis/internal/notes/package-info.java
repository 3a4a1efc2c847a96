/**
 * Messages between the Weir servers on one Redis: notes by name, and the stream of reset counters. The meaning of a
 * note does not come in; a note is text.
 */
@NullMarked
package dev.weir.redis.internal.notes;

import org.jspecify.annotations.NullMarked;

/**
 * What Weir servers on one Redis tell each other: notes by name, and the stream of counters that were reset. The
 * meaning of a note does not come in; a note is text.
 */
@NullMarked
package dev.weir.redis.internal.notes;

import org.jspecify.annotations.NullMarked;

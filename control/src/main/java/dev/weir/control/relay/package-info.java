/**
 * How nodes pass changes on while the database is unreachable: signed notes in a store that all of them read. Redis does
 * not come in (the server implements {@code NoteRelay}), and neither does the meaning of a note.
 */
@NullMarked
package dev.weir.control.relay;

import org.jspecify.annotations.NullMarked;

/**
 * Switches that turn rules off, into shadow or on: the newest change per switch, from the database, the relay in
 * Redis, or this node's journal. Redis itself does not come in (the server implements {@code NoteRelay}), and
 * neither does the effect of a switch on a rule.
 */
@NullMarked
package dev.weir.control.switches;

import org.jspecify.annotations.NullMarked;

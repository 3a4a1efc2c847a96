/**
 * A fleet in one thread on virtual time: the real limiter on every node, a simulated store between them, and an oracle beside them.
 * Everything comes from one seed; no socket, no thread and no clock of the real world come in.
 */
@NullMarked
package dev.weir.simulation;

import org.jspecify.annotations.NullMarked;

/**
 * The server as a whole: what starts, wires and stops the surfaces, and what they share. No surface's own logic comes in.
 */
@NullMarked
package dev.weir.server;

import org.jspecify.annotations.NullMarked;

/**
 * Starts, wires and stops the server: it builds every component from the settings and connects them. A surface's own
 * logic, and anything that a room below could own, does not come in.
 */
@NullMarked
package dev.weir.server;

import org.jspecify.annotations.NullMarked;

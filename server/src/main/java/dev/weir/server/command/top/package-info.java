/**
 * {@code weir top}: what a server decides now, on a terminal that is redrawn, or as JSON lines. It reads the admin port
 * and changes nothing.
 */
@NullMarked
package dev.weir.server.command.top;

import org.jspecify.annotations.NullMarked;

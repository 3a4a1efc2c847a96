/**
 * The {@code weir} command: one class for each subcommand, which reads arguments, calls what does the work, and speaks to a
 * person. No work of the server's own comes in.
 */
@NullMarked
package dev.weir.server.command;

import org.jspecify.annotations.NullMarked;

/**
 * The {@code weir} command: one class per subcommand, which reads arguments, calls a server or a library, and prints
 * for a person. The work itself does not belong here.
 */
@NullMarked
package dev.weir.server.command;

import org.jspecify.annotations.NullMarked;

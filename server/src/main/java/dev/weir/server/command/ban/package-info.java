/**
 * The commands that ban callers. The work itself does not belong here: a running server does it.
 */
@NullMarked
package dev.weir.server.command.ban;

import org.jspecify.annotations.NullMarked;

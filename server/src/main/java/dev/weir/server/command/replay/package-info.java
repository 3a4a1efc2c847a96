/** {@code weir replay}: decides recorded traffic again, and shows what other rules would change. */
@NullMarked
package dev.weir.server.command.replay;

import org.jspecify.annotations.NullMarked;

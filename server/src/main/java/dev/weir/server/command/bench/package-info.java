/** {@code weir bench}: loads a rate limit service, and shows how it answers. */
@NullMarked
package dev.weir.server.command.bench;

import org.jspecify.annotations.NullMarked;

/** {@code weir test}: runs policy tests, prints what differs, and runs them again when a file changes. */
@NullMarked
package dev.weir.server.command.policy;

import org.jspecify.annotations.NullMarked;

/**
 * The scripts that complete the command line in a shell, made from the commands themselves. Nothing here knows a single
 * command; the commands belong in {@code command}.
 */
@NullMarked
package dev.weir.server.completion;

import org.jspecify.annotations.NullMarked;

/**
 * Output for people at a terminal: tables, help pages, and the explanation of wrong arguments. Nothing here
 * knows a single command; the commands belong in {@code command}.
 */
@NullMarked
package dev.weir.server.terminal;

import org.jspecify.annotations.NullMarked;

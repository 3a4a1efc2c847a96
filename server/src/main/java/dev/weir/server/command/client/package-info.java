/**
 * How the commands call a running server, report failures and exit; every command uses it. A command itself does not
 * belong here.
 */
@NullMarked
package dev.weir.server.command.client;

import org.jspecify.annotations.NullMarked;

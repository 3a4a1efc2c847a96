/**
 * Every setting of the server, read from {@code weir.yaml}, the environment and flags, with a message for each mistake.
 * Nothing here acts on a setting: sockets, stores and logs do not belong here.
 */
@NullMarked
package dev.weir.server.settings;

import org.jspecify.annotations.NullMarked;

/**
 * What an operator can set, and how it is read from {@code weir.yaml}, the environment and flags. Nothing in here acts on a
 * setting: sockets, stores and logs do not come in.
 */
@NullMarked
package dev.weir.server.settings;

import org.jspecify.annotations.NullMarked;

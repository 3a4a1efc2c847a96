/**
 * The servers of a fleet: what this server says of itself, and what those that share its Redis or its database said of
 * themselves. Nothing here calls another server: a note may be forged, and a call would carry the operator's token.
 */
@NullMarked
package dev.weir.server.fleet;

import org.jspecify.annotations.NullMarked;

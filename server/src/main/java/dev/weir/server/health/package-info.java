/**
 * Holds whether this server is serving and which of its stores are unreachable. Nothing that checks a store, and no
 * protocol, belongs here.
 */
@NullMarked
package dev.weir.server.health;

import org.jspecify.annotations.NullMarked;

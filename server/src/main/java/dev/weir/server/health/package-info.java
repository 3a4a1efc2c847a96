/**
 * Holds whether this server takes requests and which stores it lacks; gRPC health, its watchers and {@code
 * /healthcheck} all read it here. Nothing that finds out about a store, and no protocol, comes in.
 */
@NullMarked
package dev.weir.server.health;

import org.jspecify.annotations.NullMarked;

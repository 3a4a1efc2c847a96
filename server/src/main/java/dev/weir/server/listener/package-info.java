/**
 * Binds the gRPC, HTTP and admin ports, sets up TLS on each, and drains them on shutdown. The handlers of a port do not
 * belong here.
 */
@NullMarked
package dev.weir.server.listener;

import org.jspecify.annotations.NullMarked;

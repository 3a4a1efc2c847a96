/**
 * Binds the gRPC, HTTP and admin ports, gives each its TLS certificate, and drains them on shutdown. What is answered
 * on a port does not come in.
 */
@NullMarked
package dev.weir.server.listener;

import org.jspecify.annotations.NullMarked;

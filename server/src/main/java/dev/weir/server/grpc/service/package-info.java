/**
 * The gRPC services health and reflection, and the interface by which a connection calls them. The rate limit service
 * does not belong here: these favour simplicity over speed.
 */
@NullMarked
package dev.weir.server.grpc.service;

import org.jspecify.annotations.NullMarked;

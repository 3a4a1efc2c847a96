/**
 * The gRPC services beside the rate limit service, health and reflection, and the interface by which a connection
 * calls them. The rate limit service does not come in: these are written to be simple before they are fast.
 */
@NullMarked
package dev.weir.server.grpc.service;

import org.jspecify.annotations.NullMarked;

/**
 * gRPC's own terms: the methods served here, the status codes, and the exception that ends a call with one. No bytes,
 * no connection and no service come in.
 */
@NullMarked
package dev.weir.server.grpc.protocol;

import org.jspecify.annotations.NullMarked;

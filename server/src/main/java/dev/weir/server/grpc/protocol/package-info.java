/**
 * gRPC's own terms: the methods served here, the status codes, and the exception that ends a call with one. Bytes,
 * connections and services do not belong here.
 */
@NullMarked
package dev.weir.server.grpc.protocol;

import org.jspecify.annotations.NullMarked;

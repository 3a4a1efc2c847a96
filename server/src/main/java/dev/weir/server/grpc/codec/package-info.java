/**
 * Reads and writes protobuf by hand: the wire format, and the messages of Envoy's rate limit service. Connections,
 * frames and services do not belong here.
 */
@NullMarked
package dev.weir.server.grpc.codec;

import org.jspecify.annotations.NullMarked;

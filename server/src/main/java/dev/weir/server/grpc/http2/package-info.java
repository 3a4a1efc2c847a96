/**
 * Turns the bytes of a connection into HTTP/2 frames and request heads, and writes frames and header blocks into one
 * output buffer. Streams, flow control and calls do not belong here; of gRPC it knows only the headers.
 */
@NullMarked
package dev.weir.server.grpc.http2;

import org.jspecify.annotations.NullMarked;

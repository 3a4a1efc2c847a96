/**
 * The gRPC server: connections, their streams and flow control, and the calls on them, from the first frame to the last
 * byte of the answer. Frame bytes, protobuf fields and single services live in the packages below; rules and counters
 * do not belong here.
 */
@NullMarked
package dev.weir.server.grpc;

import org.jspecify.annotations.NullMarked;

/**
 * The gRPC server: connections, their streams and flow control, and the calls on them, from the first frame to the
 * last byte of the answer. Frame bytes, protobuf fields and single services live in the rooms below; rules, counters
 * and waiting do not come in.
 */
@NullMarked
package dev.weir.server.grpc;

import org.jspecify.annotations.NullMarked;

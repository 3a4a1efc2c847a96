package dev.weir.server.grpc.service;

import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;

/** A gRPC service other than the rate limit service. Simplicity matters more here than speed. */
public interface GrpcService {

    /** Handles a whole message of the caller. */
    void message(GrpcServiceCall call, GrpcMethod method, byte[] message) throws GrpcCallException;

    /** Handles the end of the caller's messages on a streaming call. */
    default void ended(GrpcServiceCall call) {
        call.end(GrpcStatus.OK, "");
    }
}

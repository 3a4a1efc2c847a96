package dev.weir.server.grpc.service;

import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;

/** A service beside the one that everything waits for: simple before it is fast. */
public interface GrpcService {

    /** A whole message of the caller. */
    void message(GrpcServiceCall call, GrpcMethod method, byte[] message) throws GrpcCallException;

    /** The caller of a stream of messages has sent its last. */
    default void ended(GrpcServiceCall call) {
        call.end(GrpcStatus.OK, "");
    }
}

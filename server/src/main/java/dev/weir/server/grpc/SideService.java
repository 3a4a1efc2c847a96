package dev.weir.server.grpc;

/** A service beside the one that everything waits for: simple before it is fast. */
interface SideService {

    /** A whole message of the caller. */
    void message(Call call, Method method, byte[] message) throws CallError;

    /** The caller of a stream of messages has sent its last. */
    default void ended(Call call) {
        call.end(GrpcStatus.OK, "");
    }
}

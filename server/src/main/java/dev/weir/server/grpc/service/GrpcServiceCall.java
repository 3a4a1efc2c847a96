package dev.weir.server.grpc.service;

import dev.weir.server.grpc.protocol.GrpcStatus;

/** A call that is answered in its own time, as health watches and reflection are. For any thread; one that is over is silent. */
public interface GrpcServiceCall {

    void send(byte[] message);

    void end(GrpcStatus status, String text);

    /** Runs when the call is over, however it ends. */
    void onGone(Runnable gone);
}

package dev.weir.server.grpc.service;

import dev.weir.server.grpc.protocol.GrpcStatus;

/**
 * A call that may be answered later and from any thread, as health watches and reflection are. Once it has ended, its
 * methods do nothing.
 */
public interface GrpcServiceCall {

    void send(byte[] message);

    void end(GrpcStatus status, String text);

    /** Runs {@code gone} when the call is over, however it ends. */
    void onGone(Runnable gone);
}

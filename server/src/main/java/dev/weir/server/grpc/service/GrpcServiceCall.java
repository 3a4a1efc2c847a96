package dev.weir.server.grpc.service;

import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.memory.PeerAddress;

/**
 * A call that may be answered later and from any thread, as health watches and reflection are. A stream is one call,
 * whatever the number of its messages. Once it has ended, its methods do nothing.
 */
public interface GrpcServiceCall {

    /** Sends a message, which nobody may change from then on. */
    void send(byte[] message);

    void end(GrpcStatus status, String text);

    /** The name that the peer gave itself in the metadata {@code x-envoy-node}, unproven; without one, its address. */
    String peer();

    /** The address by which the peer shares budgets with others, as {@link PeerAddress} has it. */
    String address();

    /** The bytes of answers on this connection that the peer had not taken when they were last measured; from any thread. */
    long unsent();

    /** Measures {@link #unsent} soon. Reads and answers do so as well; without them it does not fall. */
    void measureUnsent();

    /** Runs {@code gone} when the call is over, however it ends. */
    void onGone(Runnable gone);
}

package dev.weir.server.grpc;

import dev.weir.server.grpc.protocol.GrpcStatus;

/** Told what happens on the lane, on the event loop where it happens: what metrics hang on. */
public interface GrpcServerObserver {

    /** An observer that looks away. */
    GrpcServerObserver NONE = new GrpcServerObserver() {};

    default void opened() {}

    default void closed() {}

    /** A connection was turned away or cut off, and why. */
    default void cutOff(String reason) {}

    /** A connection was refused or closed by a bound that logs for itself. */
    default void overBudget() {}

    /** Something that must not happen did: a fault of the server, not of a peer. */
    default void failed(Throwable cause) {}

    /** A call other than an ordinary answer to {@code ShouldRateLimit} ended with this status. */
    default void ended(GrpcStatus status) {}
}

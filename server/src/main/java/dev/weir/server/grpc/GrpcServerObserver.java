package dev.weir.server.grpc;

import dev.weir.internal.model.MutableDecision;
import dev.weir.server.grpc.protocol.GrpcStatus;

/** Observes the connections and calls of a gRPC server, on the event loop of each. */
public interface GrpcServerObserver {

    /** An observer that does nothing. */
    GrpcServerObserver NONE = new GrpcServerObserver() {};

    default void opened() {}

    default void closed() {}

    /** Called when a connection was refused or cut off, with the reason. */
    default void cutOff(String reason) {}

    /** Called when a connection was refused or closed by a bound that counts and logs it itself. */
    default void overBudget() {}

    /** Called on an internal error, which is the server's fault and not a peer's. */
    default void failed(Throwable cause) {}

    /** Whether {@link #traced} is called for calls that pass, too. */
    default boolean tracesPasses() {
        return false;
    }

    /** Called when a call with the header {@code traceparent} was decided. */
    default void traced(CharSequence traceparent, MutableDecision decision) {}

    /** Called when a call other than an ordinary answer to {@code ShouldRateLimit} has ended with {@code status}. */
    default void ended(GrpcStatus status) {}
}

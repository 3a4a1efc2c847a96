package dev.weir.server.grpc.protocol;

/** The gRPC status codes that this server uses, with their numbers on the wire. */
public enum GrpcStatus {
    OK(0),
    INVALID_ARGUMENT(3),
    DEADLINE_EXCEEDED(4),
    NOT_FOUND(5),
    RESOURCE_EXHAUSTED(8),
    UNIMPLEMENTED(12),
    INTERNAL(13),
    UNAVAILABLE(14);

    private final int number;

    GrpcStatus(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}

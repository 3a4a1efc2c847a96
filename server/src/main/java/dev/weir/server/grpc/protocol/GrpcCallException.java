package dev.weir.server.grpc.protocol;

/**
 * Ends a call with a status and a message for its caller. It has no stack trace, because peers can cause any number of
 * them.
 */
public final class GrpcCallException extends Exception {
    private static final long serialVersionUID = 1;

    private final GrpcStatus status;
    private final String text;

    public GrpcCallException(GrpcStatus status, String text) {
        super(text, null, false, false);
        this.status = status;
        this.text = text;
    }

    public GrpcStatus status() {
        return status;
    }

    public String text() {
        return text;
    }
}

package dev.weir.server.grpc.protocol;

/** A call cannot be answered: the status and message its caller gets. Thrown for what peers send, so it carries no stack. */
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

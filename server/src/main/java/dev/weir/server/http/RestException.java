package dev.weir.server.http;

import org.jspecify.annotations.Nullable;

/** A request that cannot be answered as asked: the status, and what was wrong, expected and where. */
public final class RestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final @Nullable String allow;

    private RestException(int status, String detail, @Nullable String allow) {
        // No stack trace: it says nothing about the caller's mistake, and callers can make many.
        super(detail, null, false, false);
        this.status = status;
        this.allow = allow;
    }

    public static RestException badRequest(String detail) {
        return new RestException(400, detail, null);
    }

    public static RestException notFound(String detail) {
        return new RestException(404, detail, null);
    }

    public static RestException methodNotAllowed(String method, String allow) {
        return new RestException(405, "method: " + method + " (expected: " + allow + ")", allow);
    }

    public static RestException conflict(String detail) {
        return new RestException(409, detail, null);
    }

    public static RestException forbidden(String detail) {
        return new RestException(403, detail, null);
    }

    public static RestException unavailable(String detail) {
        return new RestException(503, detail, null);
    }

    public static RestException tooLarge(String detail) {
        return new RestException(413, detail, null);
    }

    public static RestException unprocessable(String detail) {
        return new RestException(422, detail, null);
    }

    public int status() {
        return status;
    }

    public String detail() {
        String message = getMessage();
        return message == null ? "" : message;
    }

    /** The methods that would have been right, on a 405. */
    public @Nullable String allow() {
        return allow;
    }
}

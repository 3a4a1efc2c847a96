package dev.weir.server.http;

import java.util.List;

/** A request that cannot be answered as asked: the status, and what was wrong, expected and where. */
public final class RestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient List<String> headers;

    private RestException(int status, String detail, String... headers) {
        // No stack trace: it says nothing about the caller's mistake, and callers can make many.
        super(detail, null, false, false);
        this.status = status;
        this.headers = List.of(headers);
    }

    public static RestException badRequest(String detail) {
        return new RestException(400, detail);
    }

    public static RestException notFound(String detail) {
        return new RestException(404, detail);
    }

    public static RestException methodNotAllowed(String method, String allow) {
        return new RestException(405, "method: " + method + " (expected: " + allow + ")", "Allow", allow);
    }

    public static RestException timeout(String detail) {
        return new RestException(408, detail);
    }

    public static RestException conflict(String detail) {
        return new RestException(409, detail);
    }

    public static RestException forbidden(String detail) {
        return new RestException(403, detail);
    }

    /** 401; {@code challenge} says how to prove who one is. */
    public static RestException unauthorized(String detail, String challenge) {
        return new RestException(401, detail, "WWW-Authenticate", challenge);
    }

    public static RestException tooManyRequests(String detail, long retryAfterSeconds) {
        return new RestException(429, detail, "Retry-After", String.valueOf(retryAfterSeconds));
    }

    public static RestException unsupportedType(String detail) {
        return new RestException(415, detail);
    }

    public static RestException unavailable(String detail) {
        return new RestException(503, detail);
    }

    public static RestException tooLarge(String detail) {
        return new RestException(413, detail);
    }

    public static RestException unprocessable(String detail) {
        return new RestException(422, detail);
    }

    public int status() {
        return status;
    }

    public String detail() {
        String message = getMessage();
        return message == null ? "" : message;
    }

    /** What else the answer says, names and values in turn: the methods that would have been right, on a 405. */
    public List<String> headers() {
        return headers;
    }
}

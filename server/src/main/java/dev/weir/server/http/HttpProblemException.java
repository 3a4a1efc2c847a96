package dev.weir.server.http;

import java.util.List;

/** Answers a request with an error status and a detail: the value, the expected one, and where. */
public final class HttpProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** The type of a problem that its status says all about. */
    static final String ABOUT_BLANK = "about:blank";

    private static final String REDUCED_CAPACITY =
            "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

    private final int status;
    private final String type;
    private final transient List<String> headers;

    private HttpProblemException(int status, String detail, String... headers) {
        this(status, ABOUT_BLANK, detail, List.of(headers));
    }

    private HttpProblemException(int status, String type, String detail, List<String> headers) {
        // No stack trace: it says nothing about the caller's mistake, and callers can cause any number of them.
        super(detail, null, false, false);
        this.status = status;
        this.type = type;
        this.headers = headers;
    }

    public static HttpProblemException badRequest(String detail) {
        return new HttpProblemException(400, detail);
    }

    public static HttpProblemException notFound(String detail) {
        return new HttpProblemException(404, detail);
    }

    public static HttpProblemException methodNotAllowed(String method, String allow) {
        return new HttpProblemException(405, "method: " + method + " (expected: " + allow + ")", "Allow", allow);
    }

    public static HttpProblemException timeout(String detail) {
        return new HttpProblemException(408, detail);
    }

    public static HttpProblemException conflict(String detail) {
        return new HttpProblemException(409, detail);
    }

    public static HttpProblemException forbidden(String detail) {
        return new HttpProblemException(403, detail);
    }

    /** Creates a 401. {@code challenge} says how to authenticate. */
    public static HttpProblemException unauthorized(String detail, String challenge) {
        return new HttpProblemException(401, detail, "WWW-Authenticate", challenge);
    }

    public static HttpProblemException tooManyRequests(String detail, long retryAfterSeconds) {
        return new HttpProblemException(429, detail, "Retry-After", String.valueOf(retryAfterSeconds));
    }

    public static HttpProblemException unsupportedType(String detail) {
        return new HttpProblemException(415, detail);
    }

    public static HttpProblemException unavailable(String detail) {
        return new HttpProblemException(503, detail);
    }

    /** Creates the 503 of a server that sheds load. */
    public static HttpProblemException reducedCapacity(String detail, long retryAfterSeconds) {
        return new HttpProblemException(
                503, REDUCED_CAPACITY, detail, List.of("Retry-After", String.valueOf(retryAfterSeconds)));
    }

    public static HttpProblemException tooLarge(String detail) {
        return new HttpProblemException(413, detail);
    }

    public static HttpProblemException unprocessable(String detail) {
        return new HttpProblemException(422, detail);
    }

    public int status() {
        return status;
    }

    /** The type of the problem, as a URI. */
    public String type() {
        return type;
    }

    public String detail() {
        String message = getMessage();
        return message == null ? "" : message;
    }

    /** Further headers of the answer, names and values in turn, such as {@code Allow} of a 405. */
    public List<String> headers() {
        return headers;
    }
}

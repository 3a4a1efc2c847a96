package dev.weir.server.rls;

/** The protocol's codes, with their numbers on the wire. */
public final class RlsCode {
    public static final int OK = 1;
    public static final int OVER_LIMIT = 2;

    /** The error for a request without a domain, in the words of the reference. */
    public static final String NO_DOMAIN = "rate limit domain must not be empty";
    /** The error for a request without descriptors, in the words of the reference. */
    public static final String NO_DESCRIPTORS = "rate limit descriptor list must not be empty";

    private RlsCode() {}

    public static String name(int code) {
        return code == OVER_LIMIT ? "OVER_LIMIT" : "OK";
    }
}

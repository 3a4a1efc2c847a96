package dev.weir.http;

/** The header in which trusted proxies name the address of their caller. */
public enum ForwardedHeader {
    /** {@code X-Forwarded-For}. */
    X_FORWARDED_FOR,
    /** {@code Forwarded}, of RFC 7239. */
    FORWARDED
}

package dev.weir.server.conformance;

/** A rate limit service somewhere, reached in one way. */
interface RateLimitServiceUnderTest extends AutoCloseable {

    /** Asks {@code domain}, or the domain that the request itself names. */
    RlsReply ask(String domain, RlsRequest ask) throws Exception;

    @Override
    void close();
}

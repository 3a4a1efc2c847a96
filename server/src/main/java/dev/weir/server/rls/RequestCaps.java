package dev.weir.server.rls;

/**
 * What a request may hold, over gRPC and over HTTP; past it the caller is told which cap and its number.
 *
 * @param bytes of a message or a body
 * @param entries of one descriptor, or attributes of a request
 * @param name bytes of a domain or of a key
 * @param value bytes of a value
 */
public record RequestCaps(int bytes, int descriptors, int entries, int name, int value) {

    public static RequestCaps defaults() {
        return new RequestCaps(2 << 20, 1_000, 100, 1_024, 32 << 10);
    }
}

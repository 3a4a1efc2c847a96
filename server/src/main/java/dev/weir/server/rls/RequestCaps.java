package dev.weir.server.rls;

/**
 * Caps on the contents of a request, over gRPC and over HTTP. An error names the cap that was exceeded and its number.
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

package dev.weir.internal.match.keyby;

import java.util.Arrays;
import java.util.List;

/**
 * Defines which requests share a counter: a tuple of elements, each the first present attribute of its alternatives.
 * Without elements, all requests share one counter. {@code [[user_id], [api_key, ip]]} is "user_id, with api_key or
 * else ip".
 *
 * @param ipv6Prefix how many bits of an IPv6 address tell callers apart; IPv4 always counts whole
 */
public record KeyBy(List<List<String>> parts, int ipv6Prefix) {
    /** A home or a server usually has at least this much of IPv6 to itself. */
    public static final int DEFAULT_IPV6_PREFIX = 64;

    public KeyBy {
        parts = parts.stream().map(List::copyOf).toList();
        for (List<String> part : parts) {
            if (part.isEmpty() || part.contains("")) {
                throw new IllegalArgumentException("key_by: " + parts + " (expected: names of attributes)");
            }
        }
        if (ipv6Prefix < 1 || ipv6Prefix > 128) {
            throw new IllegalArgumentException("ipv6_prefix: " + ipv6Prefix + " (expected: 1 to 128)");
        }
    }

    public KeyBy(List<List<String>> parts) {
        this(parts, DEFAULT_IPV6_PREFIX);
    }

    /** One counter for all requests. */
    public static KeyBy global() {
        return new KeyBy(List.of());
    }

    /** One counter for each combination of values of these attributes, all of which must be present. */
    public static KeyBy of(String... attributes) {
        return new KeyBy(Arrays.stream(attributes).map(List::of).toList());
    }

    /**
     * Parses {@code user_id}, the tuple {@code user_id:endpoint}, and {@code api_key | ip} for the first that is
     * present.
     */
    public static KeyBy parse(String text) {
        return new KeyBy(Arrays.stream(text.split(":", -1))
                .map(part ->
                        Arrays.stream(part.split("\\|", -1)).map(String::strip).toList())
                .toList());
    }

    /** The same key, telling IPv6 callers apart by their first {@code bits}. */
    public KeyBy withIpv6Prefix(int bits) {
        return new KeyBy(parts, bits);
    }
}

package dev.weir.match;

import java.util.List;

/**
 * What shares a counter: a tuple of parts, each the first attribute present of its alternatives. No parts is one counter for
 * all. {@code [[user_id], [api_key, ip]]} is "user_id, with api_key or else ip".
 */
public record KeyBy(List<List<String>> parts) {

    public KeyBy {
        parts = parts.stream().map(List::copyOf).toList();
    }
}

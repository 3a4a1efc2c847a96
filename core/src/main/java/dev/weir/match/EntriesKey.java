package dev.weir.match;

import dev.weir.model.Limit;
import dev.weir.model.Request;
import dev.weir.store.KeyHash;

/**
 * The counter of a path of keys and values in Envoy's spelling: domain, keys, window and algorithm, then the values. Names and
 * numbers of the limit are no part of it, so a limit that changes keeps its count. A limit that the caller gives counts where
 * the file's limit on the same entries and unit would.
 */
final class EntriesKey {
    /** Apart from the keys of rules in Weir's spelling, which begin with 1. */
    private static final int KIND = 0;

    private EntriesKey() {}

    /** Hashes what does not depend on the values. */
    static KeyHash prefix(KeyHash hash, String domain, Limit limit, KeyParts parts) {
        hash.add(KIND)
                .add(domain)
                .add(limit.windowMicros())
                .add(limit.algorithm().spelling())
                .add(Math.min(limit.subWindows(), 2))
                .add(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            hash.add(parts.name(i));
        }
        return hash.end();
    }

    static void hash(KeyHash hash, String domain, Limit limit, KeyParts parts) {
        prefix(hash.reset(), domain, limit, parts);
        hash(hash, hash.key0(), hash.key1(), parts);
    }

    static void hash(KeyHash hash, long prefix0, long prefix1, KeyParts parts) {
        hash.reset(prefix0, prefix1);
        parts.hash(hash, KeyBy.DEFAULT_IPV6_PREFIX);
        hash.end();
    }

    /** The entries of {@code descriptor} as they stand. */
    static void parts(Request request, int descriptor, KeyParts into) {
        into.clear();
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            into.add(request.key(i), request.value(i), 0);
        }
    }
}

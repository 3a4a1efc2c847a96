package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.counter.CounterKeyHash;

/**
 * The counter of a path of keys and values in Envoy's spelling: domain, keys, window and algorithm, then the values. Names and
 * numbers of the limit are no part of it, so a limit that changes keeps its count. A limit that the caller gives counts where
 * the file's limit on the same entries and unit would.
 */
public final class EnvoyCounterKey {
    /** Apart from the keys of rules in Weir's spelling, which begin with 1. */
    private static final int KIND = 0;

    private EnvoyCounterKey() {}

    /** Hashes what does not depend on the values. */
    public static CounterKeyHash prefix(CounterKeyHash hash, String domain, Limit limit, CounterKeyValues parts) {
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

    public static void hash(CounterKeyHash hash, String domain, Limit limit, CounterKeyValues parts) {
        prefix(hash.reset(), domain, limit, parts);
        hash(hash, hash.key0(), hash.key1(), parts);
    }

    public static void hash(CounterKeyHash hash, long prefix0, long prefix1, CounterKeyValues parts) {
        hash.reset(prefix0, prefix1);
        parts.hash(hash, KeyBy.DEFAULT_IPV6_PREFIX);
        hash.end();
    }

    /** The entries of {@code descriptor} as they stand. */
    public static void parts(Request request, int descriptor, CounterKeyValues into) {
        into.clear();
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            into.add(request.key(i), request.value(i), 0);
        }
    }
}

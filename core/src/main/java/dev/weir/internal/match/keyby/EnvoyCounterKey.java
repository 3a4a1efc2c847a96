package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.counter.CounterKeyHash;

/**
 * The counter key of a path of keys and values in Envoy's format: domain, keys, window and algorithm, then the values.
 * Rule names and the limit's numbers are not part of it, so a changed limit keeps its count. A limit that the request
 * brings uses the same counter as the file's limit on the same entries and unit.
 */
public final class EnvoyCounterKey {
    /** Separates these keys from those of rules in Weir's format, which begin with 1. */
    private static final int KIND = 0;

    private EnvoyCounterKey() {}

    /** Hashes the prefix that does not depend on the values. */
    public static CounterKeyHash prefix(CounterKeyHash hash, String domain, Limit limit, CounterKeyValues values) {
        hash.add(KIND)
                .add(domain)
                .add(limit.windowMicros())
                .add(limit.algorithm().text())
                .add(Math.min(limit.subWindows(), 2))
                .add(values.size());
        for (int i = 0; i < values.size(); i++) {
            hash.add(values.name(i));
        }
        return hash.end();
    }

    public static void hash(CounterKeyHash hash, String domain, Limit limit, CounterKeyValues values) {
        prefix(hash.reset(), domain, limit, values);
        hash(hash, hash.key0(), hash.key1(), values);
    }

    public static void hash(CounterKeyHash hash, long prefix0, long prefix1, CounterKeyValues values) {
        hash.reset(prefix0, prefix1);
        values.hash(hash, KeyBy.DEFAULT_IPV6_PREFIX);
        hash.end();
    }

    /** Writes the entries of {@code descriptor} as they are. */
    public static void parts(Request request, int descriptor, CounterKeyValues into) {
        into.clear();
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            into.add(request.key(i), request.value(i), 0);
        }
    }
}

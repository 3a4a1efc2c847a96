package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.model.Rule;

/**
 * The counter key of a rule in Weir's format: domain, the rule's id and the algorithm, then the values. The number of
 * sub-windows is not part of it, except that a window without sub-windows counts differently.
 */
public final class WeirCounterKey {
    /** Separates these keys from those of {@link EnvoyCounterKey}, which begin with 0. */
    private static final int KIND = 1;

    private WeirCounterKey() {}

    /** Hashes the prefix that does not depend on the request. */
    public static CounterKeyHash prefix(CounterKeyHash hash, Rule rule, Limit limit) {
        return hash.add(KIND)
                .add(rule.domain())
                .add(rule.id())
                .add(limit.algorithm().text())
                .add(Math.min(limit.subWindows(), 2))
                .end();
    }

    public static void hash(CounterKeyHash hash, long prefix0, long prefix1, CounterKeyValues values, int ipv6Prefix) {
        hash.reset(prefix0, prefix1);
        values.hash(hash, ipv6Prefix);
        hash.end();
    }
}

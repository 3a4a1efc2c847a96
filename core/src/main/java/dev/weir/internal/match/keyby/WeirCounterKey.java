package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.model.Rule;

/**
 * The counter of a rule in Weir's spelling: domain, the rule's id and the algorithm, then the values it counts by. How many
 * parts a window has is a number like any other; only a window of one part is counted in another way.
 */
public final class WeirCounterKey {
    /** Apart from the keys of {@link EnvoyCounterKey}, which begin with 0. */
    private static final int KIND = 1;

    private WeirCounterKey() {}

    /** Hashes what does not depend on the request. */
    public static CounterKeyHash prefix(CounterKeyHash hash, Rule rule, Limit limit) {
        return hash.add(KIND)
                .add(rule.domain())
                .add(rule.id())
                .add(limit.algorithm().spelling())
                .add(Math.min(limit.subWindows(), 2))
                .end();
    }

    public static void hash(CounterKeyHash hash, long prefix0, long prefix1, CounterKeyValues parts, int ipv6Prefix) {
        hash.reset(prefix0, prefix1);
        parts.hash(hash, ipv6Prefix);
        hash.end();
    }
}

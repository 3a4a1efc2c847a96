package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;

/**
 * The counter of a rule under a limit agreed with a caller, where that can not be the rule's own. Callers may share the rule's:
 * a count that begins anew each hour for one and each minute for the others holds for nobody, and a bucket that each drains at
 * a rate of their own holds at the fastest. A bucket that is some caller's keeps what was used at any rate.
 */
public final class OverrideCounterKey {
    private OverrideCounterKey() {}

    /** Whether {@code agreed} in the place of the rule's limit counts apart from it; {@code ofCaller} if no other shares that. */
    public static boolean isApart(boolean ofCaller, Limit limit, Limit agreed) {
        boolean sameWindow = limit.windowMicros() == agreed.windowMicros();
        return limit.algorithm().isBucket()
                ? !ofCaller && !(sameWindow && limit.requests() == agreed.requests())
                : !sameWindow;
    }

    /** Hashes the key of the counter that stands beside the one of the rule. */
    public static CounterKeyHash hash(CounterKeyHash hash, long key0, long key1, Limit agreed) {
        return hash.reset(key0, key1)
                .add(agreed.windowMicros())
                .add(requests(agreed))
                .end();
    }

    /** The hits of a bucket's rate, which is what its level is measured by; 0 of a window. */
    static long requests(Limit agreed) {
        return agreed.algorithm().isBucket() ? agreed.requests() : 0;
    }
}

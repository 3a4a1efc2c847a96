package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;

/**
 * The counter key of an override that cannot use the rule's own counter, because callers may share that one. A count
 * that starts anew each hour for one caller and each minute for others would be right for none, and in a shared bucket
 * the fastest rate would win. A bucket that belongs to one caller keeps its level at any rate.
 */
public final class OverrideCounterKey {
    private OverrideCounterKey() {}

    /**
     * Whether {@code override} counts apart from the rule's limit; {@code ofCaller} if no other caller shares the
     * rule's counter.
     */
    public static boolean isApart(boolean ofCaller, Limit limit, Limit override) {
        boolean sameWindow = limit.windowMicros() == override.windowMicros() && limit.calendar() == override.calendar();
        return limit.algorithm().isBucket()
                ? !ofCaller && !(sameWindow && limit.requests() == override.requests())
                : !sameWindow;
    }

    /** Hashes the key of the override's separate counter. */
    public static CounterKeyHash hash(CounterKeyHash hash, long key0, long key1, Limit override) {
        return hash.reset(key0, key1)
                .add(override.windowMicros())
                .add(requests(override))
                .end();
    }

    /** The requests of a bucket's rate, which define the unit of its level; 0 for a window. */
    static long requests(Limit override) {
        return override.algorithm().isBucket() ? override.requests() : 0;
    }
}

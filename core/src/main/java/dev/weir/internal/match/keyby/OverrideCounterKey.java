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
     * rule's counter. The states of two algorithms cannot share a counter.
     */
    public static boolean isApart(boolean ofCaller, Limit limit, Limit override) {
        if (limit.algorithm() != override.algorithm()) {
            return true;
        }
        boolean sameWindow = limit.windowMicros() == override.windowMicros() && limit.calendar() == override.calendar();
        return limit.algorithm().isBucket()
                ? !ofCaller && !(sameWindow && limit.requests() == override.requests())
                : !sameWindow;
    }

    /** Hashes the key of the override's separate counter. */
    public static CounterKeyHash hash(CounterKeyHash hash, long key0, long key1, Limit override) {
        hash.reset(key0, key1).add(override.windowMicros()).add(requests(override));
        if (override.calendar() != null) {
            hash.add(1); // a day of the calendar is as long as any other
        }
        return hash.end();
    }

    /** The requests of a bucket's rate, which define the unit of its level; 0 for a window. */
    static long requests(Limit override) {
        return override.algorithm().isBucket() ? override.requests() : 0;
    }
}

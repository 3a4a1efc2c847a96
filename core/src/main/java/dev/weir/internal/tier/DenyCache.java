package dev.weir.internal.tier;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Denials that shared stores gave, for as long as they hold: a cost that did not fit cannot fit before its retry-after, so
 * nobody has to be asked. It speaks only for requests at least as costly, under the same limit. Of a window that slides it cannot
 * tell when a costlier one fits: that is asked, and denied from here only if nobody answers.
 *
 * <p>Hits may be given back elsewhere and counters reset, so once a second one request asks the store anew. If the store does
 * not answer that one, the denial still holds: known callers stay denied for their retry-after while the store is away.
 *
 * <h2>Memory</h2>
 *
 * A fixed table of 64-byte entries; a counter has {@value #WAYS} places to be in, whose keys lie side by side, so that most
 * looks end after one line of the cache. In a full neighbourhood the denial that ends
 * first makes room. Nothing expires by a timer.
 *
 * <h2>Concurrency</h2>
 *
 * Each entry has a version, odd while somebody writes. Readers that see it change, and those who would take down a denial
 * while another writes, give up: what is missed here, the store is asked. Only forgetting waits.
 */
final class DenyCache {
    /** How long a denial is believed before one request asks anew, microseconds. */
    static final long BELIEVED = 1_000_000;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int WAYS = 8;
    private static final int WORDS = 8;

    private static final int VERSION = 0;
    private static final int KEY0 = 1;
    private static final int KEY1 = 2;
    private static final int HITS = 3;
    private static final int UNTIL = 4;
    private static final int REMAINING = 5;
    private static final int RESET = 6;
    private static final int ASKED = 7;

    /** {@link #UNTIL} of what can never fit. */
    private static final long FOREVER = Long.MAX_VALUE;

    /** When it makes room for others, nevertheless, after it was last asked for, microseconds. */
    private static final long HOPELESS = 10 * BELIEVED;

    /** The first word of each entry's key, 0 where there is none: where to look. The entry itself says whether it is so. */
    private final long[] tags;

    private final long[] table;
    private final int mask;
    private final LongAdder answered = new LongAdder();
    private final LongAdder learned = new LongAdder();

    /** A cache of as many {@code entries}, rounded down to a power of two; and no less than one neighbourhood. */
    DenyCache(int entries) {
        int sets = Integer.highestOneBit(Math.max(1, entries / WAYS));
        this.tags = new long[sets * WAYS];
        this.table = new long[sets * WAYS * WORDS];
        this.mask = sets - 1;
    }

    /** Checks that were denied from here, since the start. */
    long answered() {
        return answered.sum();
    }

    /** Denials that were taken down, since the start. */
    long learned() {
        return learned.sum();
    }

    /**
     * Whether {@code check} is known not to fit at {@code now}; its outcome says so then. Of many that ask, once a second one
     * is told no, to ask the store.
     */
    boolean denies(Check check, long now) {
        return look(check, now, true);
    }

    /** Whether {@code check}, which the store did not answer, was known not to fit at {@code now}. */
    boolean stillDenies(Check check, long now) {
        return look(check, now, false);
    }

    /** When the store was asked that gave the denial of {@code check}; if there is none any more, later than any. */
    long since(Check check) {
        int first = first(check.key0);
        long key1 = check.key1 ^ fingerprint(check);
        for (int i = first; i < first + WAYS; i++) {
            if (tags[i] == check.key0 && table[i * WORDS + KEY1] == key1) {
                return (long) WORD.getOpaque(table, i * WORDS + ASKED);
            }
        }
        return Long.MAX_VALUE;
    }

    private boolean look(Check check, long now, boolean asksAnew) {
        int first = first(check.key0);
        for (int i = first; i < first + WAYS; i++) {
            if (tags[i] == check.key0) {
                long key1 = check.key1 ^ fingerprint(check);
                if (table[i * WORDS + KEY1] == key1) {
                    return read(i * WORDS, check, key1, now, asksAnew);
                }
            }
        }
        return false;
    }

    private boolean read(int at, Check check, long key1, long now, boolean asksAnew) {
        long version = (long) WORD.getAcquire(table, at + VERSION);
        long key0 = (long) WORD.getOpaque(table, at + KEY0);
        long sameKey1 = (long) WORD.getOpaque(table, at + KEY1);
        long hits = (long) WORD.getOpaque(table, at + HITS);
        long until = (long) WORD.getOpaque(table, at + UNTIL);
        long remaining = (long) WORD.getOpaque(table, at + REMAINING);
        long reset = (long) WORD.getOpaque(table, at + RESET);
        long asked = (long) WORD.getOpaque(table, at + ASKED);
        VarHandle.acquireFence();
        boolean torn = (version & 1) != 0 || (long) WORD.getOpaque(table, at + VERSION) != version;
        if (torn || key0 != check.key0 || sameKey1 != key1 || check.hits < hits || now >= until) {
            return false;
        }
        if (asksAnew && !knowsWhen(check, hits)) {
            return false;
        }
        if (asksAnew && now - asked >= BELIEVED && WORD.compareAndSet(table, at + ASKED, asked, now)) {
            return false;
        }
        Outcome out = check.outcome;
        out.allowed = false;
        out.remaining = remaining;
        out.reset = Math.max(0, reset - now);
        out.retryAfter = until == FOREVER ? Outcome.NEVER : retryAfter(check, hits, until - now);
        out.delay = 0;
        answered.increment();
        return true;
    }

    /** Whether it follows when {@code check} fits from when {@code hits} do, which are not more than its own. */
    private static boolean knowsWhen(Check check, long hits) {
        if (check.hits == hits || check.meter == null) {
            return true;
        }
        Limit limit = check.meter.limit();
        return !limit.algorithm().slides() || check.hits > limit.capacity();
    }

    /**
     * When {@code check} fits, if {@code hits}, which are not more than its own, do after {@code known}. From buckets each
     * further hit takes its share of the window; of one that {@linkplain #knowsWhen slides} this is the least that it will be.
     */
    private static long retryAfter(Check check, long hits, long known) {
        if (check.hits == hits || check.meter == null) {
            return known;
        }
        Limit limit = check.meter.limit();
        if (check.hits > limit.capacity()) {
            return Outcome.NEVER;
        }
        return known + limit.inflowMicros(check.hits - hits);
    }

    /**
     * Takes down what a store answered. {@code asked} is when it was asked: as it answered after that, the denial ends no
     * earlier than its retry-after from then.
     */
    void learn(Check check, long asked) {
        if (check.hits < 0) {
            forget(check.key0);
        } else if (check.outcome.allowed) {
            passed(check);
        } else if (check.hits > 0) {
            denied(check, asked);
        }
    }

    /** Forgets everything: the limits may have changed. */
    void clear() {
        for (int i = 0; i < tags.length; i++) {
            if (tags[i] != 0) {
                erase(i);
            }
        }
    }

    /** Forgets all denials of a counter, under whatever limit. */
    void forget(long key0) {
        int first = first(key0);
        for (int i = first; i < first + WAYS; i++) {
            if (tags[i] == key0) {
                erase(i);
            }
        }
    }

    private void passed(Check check) {
        int first = first(check.key0);
        for (int i = first; i < first + WAYS; i++) {
            int at = i * WORDS;
            if (tags[i] == check.key0
                    && table[at + KEY1] == (check.key1 ^ fingerprint(check))
                    && table[at + HITS] <= check.hits) {
                erase(i);
            }
        }
    }

    private void denied(Check check, long asked) {
        Outcome out = check.outcome;
        boolean never = out.retryAfter == Outcome.NEVER;
        long until = never ? FOREVER : asked + out.retryAfter;
        long key1 = check.key1 ^ fingerprint(check);
        int first = first(check.key0);
        int index = first;
        for (int i = first; i < first + WAYS; i++) {
            if (tags[i] == check.key0 && table[i * WORDS + KEY1] == key1) {
                long known = table[i * WORDS + HITS];
                if (known < check.hits && table[i * WORDS + UNTIL] > asked && !knowsWhen(check, known)) {
                    return; // what is known of a cheaper one speaks for more requests
                }
                index = i;
                break;
            }
            index = worth(i) < worth(index) ? i : index;
        }
        int place = index * WORDS;
        long version = lock(place);
        if (version < 0) {
            return;
        }
        tags[index] = check.key0;
        table[place + KEY0] = check.key0;
        table[place + KEY1] = key1;
        table[place + HITS] = check.hits;
        table[place + UNTIL] = until;
        table[place + REMAINING] = out.remaining;
        table[place + RESET] = asked + out.reset;
        table[place + ASKED] = asked;
        WORD.setRelease(table, place + VERSION, version + 2);
        learned.increment();
    }

    /** Whichever has least of it makes room. */
    private long worth(int index) {
        int at = index * WORDS;
        long until = table[at + UNTIL];
        return until == FOREVER ? table[at + ASKED] + HOPELESS : until;
    }

    /** The version before, or -1 if somebody else writes. */
    private long lock(int at) {
        long version = (long) WORD.getAcquire(table, at + VERSION);
        boolean mine = (version & 1) == 0 && WORD.compareAndSet(table, at + VERSION, version, version + 1);
        VarHandle.storeStoreFence();
        return mine ? version : -1;
    }

    private void erase(int index) {
        int at = index * WORDS;
        long version = lock(at);
        while (version < 0) {
            Thread.onSpinWait();
            version = lock(at);
        }
        tags[index] = 0;
        table[at + KEY0] = 0;
        table[at + KEY1] = 0;
        table[at + UNTIL] = 0;
        WORD.setRelease(table, at + VERSION, version + 2);
    }

    private int first(long key0) {
        return ((int) (key0 >>> 32) & mask) * WAYS;
    }

    /** Callers may give limits of their own on one counter: each has its denials to itself. */
    private static long fingerprint(Check check) {
        if (check.meter == null) {
            return 0;
        }
        Limit limit = check.meter.limit();
        long mixed = limit.requests() * 0x9e3779b97f4a7c15L ^ limit.windowMicros();
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L ^ limit.burst();
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L ^ limit.subWindows();
        return mixed ^ mixed >>> 29;
    }
}

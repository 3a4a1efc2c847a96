package dev.weir.internal.tier;

import dev.weir.Limit;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Caches the denials of shared stores for as long as they hold. A cost that did not fit cannot fit before its
 * retry-after, so the store need not be asked. An entry applies only to requests that cost at least as much, under the
 * same limit. For a sliding window it cannot compute when a costlier request fits; such a request asks the store, and
 * is denied from the cache only if the store does not answer.
 *
 * <p>Hits may be given back elsewhere and counters may be reset, so once a second one request re-validates the denial
 * at the store. If the store does not answer, the denial still holds: known callers stay denied for their retry-after
 * while the store is unreachable.
 *
 * <h2>Memory</h2>
 *
 * <p>A fixed table of 64-byte entries. A counter has {@value #WAYS} possible entries, whose keys are adjacent, so that
 * most lookups touch one cache line. In a full set, the denial that ends first is replaced. Nothing expires by a timer.
 *
 * <h2>Concurrency</h2>
 *
 * <p>Each entry has a version, which is odd while a thread writes. A reader that sees it change gives up, and so does a
 * thread that would record a denial while another writes; the store is asked instead. Only forgetting waits.
 */
final class DenyCache {
    /** How long a denial holds before one request re-validates it, microseconds. */
    static final long REVALIDATE_AFTER = 1_000_000;

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

    /** The purpose of a lookup. */
    private enum Use {
        /** To decide a request; once a second, one caller asks the store instead. */
        DECIDE,
        /** To stand in for a store that did not answer. */
        STAND_IN,
        /** To tell what a decision would find. */
        PROBE
    }

    /** The {@link #UNTIL} of a cost that can never fit. */
    private static final long FOREVER = Long.MAX_VALUE;

    /** How long a denial with {@link #FOREVER} resists replacement after it was last asked for, microseconds. */
    private static final long HOPELESS = 10 * REVALIDATE_AFTER;

    /** The first word of each entry's key, 0 if empty. It is a hint for lookups; the entry itself decides. */
    private final long[] tags;

    private final long[] table;
    private final int mask;
    private final LongAdder answered = new LongAdder();
    private final LongAdder learned = new LongAdder();

    /** Creates a cache of {@code entries}, rounded down to a power of two, and at least one set. */
    DenyCache(int entries) {
        int sets = Integer.highestOneBit(Math.max(1, entries / WAYS));
        this.tags = new long[sets * WAYS];
        this.table = new long[sets * WAYS * WORDS];
        this.mask = sets - 1;
    }

    /** Checks that the cache denied, since the start. */
    long answered() {
        return answered.sum();
    }

    /** Denials that were recorded, since the start. */
    long learned() {
        return learned.sum();
    }

    /**
     * Whether {@code check} is known not to fit at {@code now}; then its outcome is written. Once a second, one of many
     * callers gets false, to ask the store.
     */
    boolean denies(Check check, long now) {
        return look(check, now, Use.DECIDE);
    }

    /** Whether {@link #denies} would return true at {@code now}. It counts no answer and starts no re-validation. */
    boolean believes(Check check, long now) {
        return look(check, now, Use.PROBE);
    }

    /** Whether {@code check}, which the store did not answer, was known not to fit at {@code now}. */
    boolean stillDenies(Check check, long now) {
        return look(check, now, Use.STAND_IN);
    }

    /** When the store that denied {@code check} was asked; the largest moment if the denial is gone. */
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

    private boolean look(Check check, long now, Use use) {
        int first = first(check.key0);
        for (int i = first; i < first + WAYS; i++) {
            if (tags[i] == check.key0) {
                long key1 = check.key1 ^ fingerprint(check);
                if (table[i * WORDS + KEY1] == key1) {
                    return read(i * WORDS, check, key1, now, use);
                }
            }
        }
        return false;
    }

    private boolean read(int at, Check check, long key1, long now, Use use) {
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
        if (use != Use.STAND_IN && !knowsWhen(check, hits)) {
            return false;
        }
        boolean due = use != Use.STAND_IN && now - asked >= REVALIDATE_AFTER;
        if (due && (use == Use.PROBE || WORD.compareAndSet(table, at + ASKED, asked, now))) {
            return false;
        }
        Outcome out = check.outcome;
        out.allowed = false;
        out.remaining = remaining;
        out.reset = Math.max(0, reset - now);
        out.retryAfter = until == FOREVER ? Outcome.NEVER : retryAfter(check, hits, until - now);
        out.delay = 0;
        if (use != Use.PROBE) {
            answered.increment();
        }
        return true;
    }

    /** Whether the time at which {@code check} fits follows from that of {@code hits}, which are at most its own. */
    private static boolean knowsWhen(Check check, long hits) {
        if (check.hits == hits || check.meter == null) {
            return true;
        }
        Limit limit = check.meter.limit();
        return !limit.algorithm().slides() || check.hits > limit.capacity();
    }

    /**
     * Microseconds until {@code check} fits, if {@code hits}, at most its own, fit after {@code known}. In a bucket
     * each further hit takes its share of the window. For a {@linkplain #knowsWhen sliding} window this is a lower
     * bound.
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
     * Records the answer of a store that was asked at {@code asked}. The store answered after that, so the denial ends
     * no earlier than its retry-after from then.
     */
    void learn(Check check, long asked) {
        if (check.hits < 0) {
            forget(check.key0);
        } else if (check.outcome.allowed) {
            passed(check);
        } else if (check.hits > 0 && !isPermit(check)) {
            denied(check, asked);
        }
    }

    /** Permits come back at any moment, so that no denial holds for a known time. */
    private static boolean isPermit(Check check) {
        MeterKind counting = check.meter == null ? null : check.meter.counting();
        return counting == MeterKind.PERMITS || counting == MeterKind.PERMIT_LEVELS;
    }

    /** Forgets everything, because the limits may have changed. */
    void clear() {
        for (int i = 0; i < tags.length; i++) {
            if (tags[i] != 0) {
                erase(i);
            }
        }
    }

    /** Forgets all denials of a counter, under any limit. */
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
                    return; // the known denial of a cheaper cost covers more requests
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

    /** The value that replacement compares; the entry with the least is replaced. */
    private long worth(int index) {
        int at = index * WORDS;
        long until = table[at + UNTIL];
        return until == FOREVER ? table[at + ASKED] + HOPELESS : until;
    }

    /** Locks the entry; returns the version before, or -1 if another thread writes. */
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

    /** Separates the denials of one counter under different limits, because callers may bring their own limits. */
    private static long fingerprint(Check check) {
        if (check.meter == null) {
            return 0;
        }
        Limit limit = check.meter.limit();
        long mixed = limit.requests() * 0x9e3779b97f4a7c15L ^ limit.windowMicros();
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L ^ limit.burst();
        mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L ^ limit.subWindows() ^ limit.credit() << 8;
        return mixed ^ mixed >>> 29;
    }
}

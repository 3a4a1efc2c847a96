package dev.weir.internal.store.memory;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.store.Check;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A share of the counters, with the two steps of a check: ask, and, when the request is decided, take. */
final class Stripe extends SlotTable {
    private static final long SECOND = 1_000_000;
    private static final long[] NO_WORDS = {};
    private static final int MAX_LOCK_FREE_ATTEMPTS = 16;

    private final Arena arena;
    private final BlockReclaim reclaim;
    /**
     * Whether the last decision changed nothing. Written under the lock; a stale read without it costs one extra
     * attempt.
     */
    private boolean settled;

    Stripe(int maxKeys, Arena arena, BlockReclaim reclaim) {
        super(maxKeys, arena);
        this.arena = arena;
        this.reclaim = reclaim;
    }

    /** Asks and, if they fit or count anyway, takes the hits of a request's only check. The caller holds no lock. */
    void decide(Check check, long now) {
        if (check.meter instanceof SlotMeter slotMeter) {
            decideSlot(check, slotMeter, now);
            return;
        }
        lock();
        try {
            ask(check, null, 0, now);
            if (check.outcome.allowed) {
                take(check, now);
            }
        } finally {
            unlock();
        }
    }

    /**
     * If the last decision changed nothing, as a denial does, tries without the lock first, so that denied callers do
     * not contend. Otherwise the attempt would be wasted.
     */
    private void decideSlot(Check check, SlotMeter meter, long now) {
        if (settled) {
            for (int attempts = 0; attempts < MAX_LOCK_FREE_ATTEMPTS; attempts++) {
                long seen = version();
                if (decideSlot(check, meter, now, false)) {
                    break;
                }
                if (unchanged(seen)) {
                    return;
                }
            }
        }
        lock();
        try {
            decideSlot(check, meter, now, true);
        } finally {
            unlock();
        }
    }

    /** Applies the meter, and stores the new state if {@code locked}; returns whether there is a change to store. */
    private boolean decideSlot(Check check, SlotMeter meter, long now, boolean locked) {
        long key0 = stored(check.key0);
        long identity = check.key1 & TAG;
        Outcome out = check.outcome;
        int at = read(key0, identity, out);
        long state0 = out.state0;
        long state1 = out.state1;
        apply(check, meter, state0, state1, now);
        boolean changes =
                takes(check) || (at >= 0 && (out.state0 != state0 || out.state1 != state1 || outlives(at, out, now)));
        if (locked) {
            if (settled == changes) {
                settled = !changes;
            }
            if (changes) {
                keep(at, key0, identity, out, now);
            }
        }
        return changes;
    }

    private static void apply(Check check, SlotMeter meter, long state0, long state1, long now) {
        if (check.owed) {
            meter.charge(state0, state1, now, check.hits, check.outcome);
        } else {
            meter.apply(state0, state1, now, check.hitsAt(state0), check.countsDenied, check.outcome);
        }
    }

    private static boolean takes(Check check) {
        return check.hits != 0 && (check.outcome.allowed || check.countsDenied);
    }

    /**
     * Asks as if the checks before it on the same counter had been taken: {@code earlier} is the last of them and
     * {@code pending} the sum of their hits.
     */
    void ask(Check check, @Nullable Check earlier, long pending, long now) {
        Meter meter = meter(check);
        if (meter instanceof SlotMeter slotMeter) {
            askSlot(check, slotMeter, earlier, now);
        } else {
            askBlock(check, (BlockMeter) meter, null, saturatedSum(check.hits, pending), now);
        }
    }

    /** Asks a log or sub-windows, as if its block were {@code rehearsed}. */
    void ask(Check check, long[] rehearsed, long now) {
        askBlock(check, (BlockMeter) meter(check), rehearsed, check.hits, now);
    }

    /**
     * The block of a log or sub-windows to rehearse takes in: {@code begun} if there is one, as long as the block is by
     * now; else a copy of the block, empty if there is none.
     */
    long[] rehearsal(Check check, long @Nullable [] begun) {
        int at = find(stored(check.key0), (check.key1 & TAG) | BLOCK);
        int words = at < 0 ? 0 : (int) state1(at);
        if (begun != null) {
            return begun.length == words ? begun : Arrays.copyOf(begun, words);
        }
        if (words == 0) {
            return NO_WORDS;
        }
        long block = state0(at);
        int from = Arena.offset(block);
        return Arrays.copyOfRange(arena.memory(block), from, from + words);
    }

    /** Resets the counter and marks its slot as expired; returns whether there was one. */
    boolean forget(Check check) {
        long key0 = stored(check.key0);
        if (meter(check) instanceof SlotMeter) {
            long identity = check.key1 & TAG;
            int at = find(key0, identity);
            if (at >= 0) {
                write(at, identity, 0, 1, 0, 0);
            }
            return at >= 0;
        }
        long identity = (check.key1 & TAG) | BLOCK;
        int at = find(key0, identity);
        if (at >= 0) {
            long block = state0(at);
            int words = (int) state1(at);
            if (block != Arena.NONE) {
                Arrays.fill(arena.memory(block), Arena.offset(block), Arena.offset(block) + words, 0);
            }
            write(at, identity, 0, 1, block, words);
        }
        return at >= 0;
    }

    private void askSlot(Check check, SlotMeter meter, @Nullable Check earlier, long now) {
        Outcome out = check.outcome;
        if (earlier != null) {
            Outcome before = earlier.outcome;
            apply(check, meter, before.state0, before.state1, now);
            return;
        }
        long identity = check.key1 & TAG;
        int at = find(stored(check.key0), identity);
        if (at < 0) {
            apply(check, meter, 0, 0, now);
            return;
        }
        apply(check, meter, state0(at), state1(at), now);
        if (!takes(check)) {
            repair(at, identity, out, now);
        }
    }

    /** Takes the hits of a check that {@link #ask} has answered. */
    void take(Check check, long now) {
        if (check.hits == 0) {
            return;
        }
        Outcome out = check.outcome;
        if (meter(check) instanceof BlockMeter blockMeter) {
            long key0 = stored(check.key0);
            long identity = (check.key1 & TAG) | BLOCK;
            int at = find(key0, identity);
            if (at >= 0) { // else nothing to give back, or the request's own counters need more slots than there are
                long block = state0(at);
                int words = (int) state1(at);
                long[] memory = arena.memory(block);
                blockMeter.take(memory, Arena.offset(block), words, now, check.hits);
                long lasts = blockMeter.lasts(memory, Arena.offset(block), words, now, out.reset);
                write(at, identity, out.used, expiry(now, lasts), block, words);
            }
        } else {
            long key0 = stored(check.key0);
            long identity = check.key1 & TAG;
            keep(find(key0, identity), key0, identity, out, now);
        }
    }

    /**
     * Ends a check whose request is denied. The answer stays. The other fields of the outcome become those of the
     * counter, since the checks before it on the same counter were not taken, or were only counted.
     */
    void denied(Check check, boolean counts, long now) {
        Outcome out = check.outcome;
        long hits = check.hits;
        boolean allowed = out.allowed;
        long retryAfter = out.retryAfter;
        check.hits = counts ? hits : 0;
        ask(check, null, 0, now);
        if (counts) {
            take(check, now);
        } else if (check.meter instanceof BlockMeter blockMeter) {
            leave(check, blockMeter, now);
        }
        check.hits = hits;
        out.allowed = allowed;
        out.retryAfter = retryAfter;
    }

    /**
     * Unpins the block that {@link #askBlock} pinned, since nothing is taken: denied callers must not outlast admitted
     * ones.
     */
    private void leave(Check check, BlockMeter meter, long now) {
        long identity = (check.key1 & TAG) | BLOCK;
        int at = find(stored(check.key0), identity);
        if (at >= 0 && isPinned(at)) {
            Outcome out = check.outcome;
            long block = state0(at);
            int words = (int) state1(at);
            long lasts = meter.lasts(arena.memory(block), Arena.offset(block), words, now, out.reset);
            write(at, identity, out.used, expiry(now, lasts), block, words);
        }
    }

    private void keep(int at, long key0, long identity, Outcome out, long now) {
        int slot = at;
        if (slot < 0) {
            if (out.reset <= 0) {
                return; // as good as new: nothing to store
            }
            slot = insert(key0, identity, seconds(now));
        }
        write(slot, identity, out.used, expiry(now, out.reset), out.state0, out.state1);
    }

    /**
     * Whether the state matters for longer than its slot is kept: its limit was changed to a slower one, and nothing
     * was taken since. (The time is rounded, so the expiry may move by one second.)
     */
    private boolean outlives(int at, Outcome out, long now) {
        return expiry(at) + 1 < expiry(now, out.reset);
    }

    /**
     * Stores the repaired state of a slot that lay ahead of a clock that stepped back; it would deny until then. Also
     * extends the expiry of a slot whose limit was changed.
     */
    private void repair(int at, long identity, Outcome out, long now) {
        if (out.state0 != state0(at) || out.state1 != state1(at) || outlives(at, out, now)) {
            write(at, identity, out.used, expiry(now, out.reset), out.state0, out.state1);
        }
    }

    private void askBlock(Check check, BlockMeter meter, long @Nullable [] rehearsed, long hits, long now) {
        long identity = (check.key1 & TAG) | BLOCK;
        int at = find(stored(check.key0), identity);
        long block = at < 0 ? Arena.NONE : state0(at);
        int words = at < 0 ? 0 : (int) state1(at);
        long[] memory = rehearsed != null ? rehearsed : block == Arena.NONE ? NO_WORDS : arena.memory(block);
        int from = rehearsed != null ? 0 : Arena.offset(block);
        Outcome out = check.outcome;
        if (check.owed) {
            check.hits = meter.charge(memory, from, words, now, check.hits, out);
        } else {
            meter.ask(memory, from, words, now, hits, out);
        }
        if (!out.allowed || check.hits <= 0) {
            if (at >= 0 && rehearsed == null && outlives(at, out, now)) {
                write(at, identity, out.used, expiry(now, out.reset), block, words);
            }
            return;
        }
        long worth = at < 0 ? 0 : pin(at);
        int needed = meter.wordsToTake(memory, from, words, now, check.owed ? check.hits : hits);
        if (needed > words && !reserve(check, identity, block, words, needed, now)) {
            if (at >= 0) {
                unpin(find(stored(check.key0), identity), worth); // it has moved if others were dropped
            }
            // There is no memory to count in. Refuse the check for a second rather than let it pass uncounted.
            meter.ask(memory, from, words, now, 0, out);
            out.allowed = false;
            out.retryAfter = SECOND;
        }
    }

    /** Gives the counter a block of at least {@code needed} words that begins with its old content. */
    private boolean reserve(Check check, long identity, long old, int oldWords, int needed, long now) {
        int wanted = BlockSizes.fit(needed);
        long key0 = stored(check.key0);
        long block = arena.allocate(wanted);
        if (block == Arena.NONE) {
            block = reclaim.allocate(this, wanted, key0, seconds(now));
        }
        if (block == Arena.NONE) {
            return false;
        }
        int words = arena.size(block);
        if (oldWords > 0) {
            System.arraycopy(arena.memory(old), Arena.offset(old), arena.memory(block), Arena.offset(block), oldWords);
            arena.free(old, oldWords);
            writeState(find(key0, identity), block, words);
        } else {
            int at = insert(key0, identity, seconds(now));
            write(at, identity, 0, FOREVER, block, words);
            pin(at);
        }
        return true;
    }

    private static Meter meter(Check check) {
        Meter meter = check.meter;
        if (meter == null) {
            throw new IllegalArgumentException("meter: null (expected: the meter of the check's limit)");
        }
        return meter;
    }

    private static long seconds(long now) {
        return Math.min(now / SECOND, FOREVER - 1);
    }

    /** The first whole second at which the counter is as good as new. */
    private static long expiry(long now, long reset) {
        long moment = now + reset;
        if (moment < now) {
            return FOREVER;
        }
        return Math.max(1, Math.min(FOREVER, (moment + SECOND - 1) / SECOND));
    }

    private static long saturatedSum(long hits, long pending) {
        long sum = hits + pending;
        return pending > 0 && sum < hits ? Long.MAX_VALUE : sum;
    }
}

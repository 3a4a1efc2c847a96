package dev.weir.internal.store.memory;

import dev.weir.internal.algorithm.Outcome;

/**
 * An open-addressed table of counters, bounded, with its own lock.
 *
 * <h2>Slots</h2>
 *
 * <p>A slot is four words, 32 bytes, and no object:
 *
 * <pre>
 *   0  key0
 *   1  23 bits of key1 | is a block | used share, 8 bits | expiry in seconds since the epoch, 32 bits
 *   2  state0, or the block's address
 *   3  state1, or the block's length
 * </pre>
 *
 * <p>Bits of key1 that are not stored select the table. With 4,096 tables a slot represents 64 + 23 + 12 = 99 bits of
 * the key: the chance that any two of ten million keys collide is (10^7)^2 / 2^100, less than 10^-16.
 *
 * <h2>Order</h2>
 *
 * <p>Linear probing, sorted by key0. The home of a key grows with key0, so the whole table is one sorted array with
 * gaps. A search begins at the key's home and ends at the first key0 that is not smaller; an empty slot has the largest
 * key0 of all. So a missing key is detected as fast as another key is found (four slots on average when the table is
 * fullest). Growing, or dropping expired slots, is one pass from left to right that takes microseconds. Nothing wraps
 * around: extra slots after the last home take the overhang, and the very last slot is always empty.
 *
 * <h2>Eviction</h2>
 *
 * <p>An expired slot is overwritten where it is met. A table that may not grow first drops all expired slots. If there
 * are none, it evicts the slot with the lowest used share near the newcomer's home; among equals, the one that expires
 * first. So a flood of new keys evicts itself: its own slots are the least used.
 *
 * <p>All methods except {@link #read} need the lock.
 *
 * @see <a href="https://doi.org/10.1093/comjnl/17.2.135">Amble, Knuth: Ordered hash tables</a>
 */
abstract class SlotTable extends VersionLock {
    /** The largest expiry: never. */
    static final long FOREVER = 0xffffffffL;
    /** The bits of key1 that are stored. */
    static final long TAG = -1L << 41;

    static final long BLOCK = 1L << 40;
    static final long NO_BLOCK = Long.MAX_VALUE;

    static final int SLOT = 4;
    private static final int META = 1, STATE0 = 2, STATE1 = 3;
    private static final long IDENTITY = -1L << 40;
    /** The largest {@link #worth}: all used, and never expiring. */
    private static final long PINNED = ~IDENTITY;

    private static final long EMPTY = Long.MAX_VALUE;
    private static final long[] NO_SLOTS = {EMPTY, 0, 0, 0};

    private static final int NEIGHBOURHOOD = 32;
    /** The number of slots searched for a victim if all neighbours are near their limit, and for a block. */
    private static final int FAR = 256;

    /** How many times larger than needed an evicted block may be. */
    private static final int WASTE = 4;

    /** The number of blocks after which the search for a victim ends. */
    private static final int ENOUGH_BLOCKS = 16;

    private static final int FEWEST_HOMES = 4;
    private static final int MOST_OVERHANG = 32;

    private final Arena arena;
    private final int maxKeys;
    private final int maxHomes;

    private long[] slots = NO_SLOTS;
    private int homes;
    private int room;
    private int filled;
    /** No slot here expires before this second. */
    private long firstExpiry = FOREVER;

    private long evictions;

    SlotTable(int maxKeys, Arena arena) {
        this.maxKeys = maxKeys;
        this.maxHomes = (int) Math.max(FEWEST_HOMES, (maxKeys * 20L + 16) / 17); // 85 keys to 100 homes
        this.arena = arena;
    }

    /** Maps key0 to its stored form: the value that marks an empty slot becomes its neighbour. */
    static long stored(long key0) {
        return key0 == EMPTY ? EMPTY - 1 : key0;
    }

    /** The index of this key's slot, or a negative number. */
    final int find(long key0, long identity) {
        return find(slots, key0, identity);
    }

    /** The same without the lock: the result may be wrong while another thread writes, but the search always ends. */
    private int find(long[] slots, long key0, long identity) {
        int last = slots.length - SLOT;
        int at = Math.min(home(key0, homes), last);
        while (at < last && slots[at] < key0) {
            at += SLOT;
        }
        while (at < last && slots[at] == key0) {
            if (((slots[at + META] ^ identity) & IDENTITY) == 0) {
                return at;
            }
            at += SLOT;
        }
        return ~at;
    }

    /**
     * Finds a slot and reads its two words into {@code out}, zeros if there is none. Needs no lock: see {@link
     * #version}.
     */
    final int read(long key0, long identity, Outcome out) {
        long[] slots = this.slots;
        int at = find(slots, key0, identity);
        out.state0 = at < 0 ? 0 : slots[at + STATE0];
        out.state1 = at < 0 ? 0 : slots[at + STATE1];
        return at;
    }

    final long state0(int at) {
        return slots[at + STATE0];
    }

    final long state1(int at) {
        return slots[at + STATE1];
    }

    /** The second from which the slot at {@code at} may be overwritten. Needs no lock, as {@link #read}. */
    final long expiry(int at) {
        long[] slots = this.slots;
        return at + META < slots.length ? slots[at + META] & FOREVER : FOREVER;
    }

    /** Writes the slot at {@code at}; {@code used} in 0..255, {@code expiry} in 1..{@link #FOREVER}. */
    final void write(int at, long identity, long used, long expiry, long state0, long state1) {
        long[] slots = this.slots;
        slots[at + META] = identity | used << 32 | expiry;
        slots[at + STATE0] = state0;
        slots[at + STATE1] = state1;
        if (expiry < firstExpiry) {
            firstExpiry = expiry;
        }
    }

    /**
     * Makes the slot at {@code at} the last to be evicted, even if it has expired: a request is about to take from it,
     * and the request's other counters must not evict it. The slot is written again before the request ends.
     *
     * @return the worth that {@link #unpin} restores
     */
    final long pin(int at) {
        long worth = worth(at);
        slots[at + META] |= PINNED;
        return worth;
    }

    final boolean isPinned(int at) {
        return worth(at) == PINNED;
    }

    final void unpin(int at, long worth) {
        write(at, slots[at + META] & IDENTITY, worth >>> 32, worth & FOREVER, state0(at), state1(at));
    }

    final void writeState(int at, long state0, long state1) {
        slots[at + STATE0] = state0;
        slots[at + STATE1] = state1;
    }

    /**
     * Makes a slot for a key that is not there, evicting another if necessary; slots may move. The caller must write
     * the slot before it calls anything else on this table.
     */
    final int insert(long key0, long identity, long nowSeconds) {
        int at;
        while ((at = open(key0, ~find(key0, identity), nowSeconds)) < 0) {
            makeRoom(key0, nowSeconds);
        }
        slots[at] = key0;
        return at;
    }

    /** Drops expired slots. */
    final void sweep(long nowSeconds) {
        if (nowSeconds >= firstExpiry) {
            moveTo(slots, homes, nowSeconds);
        }
    }

    /**
     * The {@link #worth} of the least used block near {@code key0}'s home that fits {@code words} words, or {@link
     * #NO_BLOCK}.
     */
    final long emptiestBlock(int words, long key0) {
        int at = findEmptiestBlock(words, key0, FAR);
        return at < 0 ? NO_BLOCK : worth(at);
    }

    /** Evicts that block, or one farther off, and returns its size; returns {@code words} if there is none at all. */
    final int evictEmptiestBlock(int words, long key0) {
        int at = findEmptiestBlock(words, key0, FAR);
        if (at < 0) {
            at = findEmptiestBlock(words, key0, slots.length);
        }
        if (at < 0) {
            return words;
        }
        int size = (int) slots[at + STATE1];
        evict(at);
        return size;
    }

    /**
     * Finds the least used of the first blocks from the home of {@code key0}; starting there spreads the evictions
     * evenly.
     */
    private int findEmptiestBlock(int words, long key0, int slotsToLookAt) {
        int last = slots.length - SLOT;
        int victim = -1;
        int at = home(key0, homes);
        for (int looks = Math.min(slotsToLookAt, last / SLOT), blocks = 0;
                looks > 0 && blocks < ENOUGH_BLOCKS;
                looks--) {
            if (holdsBlockFor(words, at)) {
                blocks++;
                victim = victim < 0 || worth(at) < worth(victim) ? at : victim;
            }
            at = at + SLOT < last ? at + SLOT : 0;
        }
        return victim;
    }

    /** Whether the block is large enough, not much larger, and not pinned. */
    private boolean holdsBlockFor(int words, int at) {
        return slots[at] != EMPTY
                && (slots[at + META] & BLOCK) != 0
                && slots[at + STATE1] >= words
                && slots[at + STATE1] <= (long) WASTE * words
                && !isPinned(at);
    }

    /** Slots in use, including those that have expired and were not accessed since. */
    final int size() {
        return filled;
    }

    final long evictions() {
        return evictions;
    }

    final void clear() {
        moveTo(NO_SLOTS, 0, Long.MAX_VALUE);
    }

    /** Opens a gap for key0 at or just before {@code at}, where it belongs; negative if there is no room. */
    private int open(long key0, int at, long now) {
        if (now >= firstExpiry) {
            for (int gap = at - SLOT, home = home(key0, homes); gap >= home; gap -= SLOT) {
                if (expired(slots, gap, now)) {
                    release(slots, gap);
                    System.arraycopy(slots, gap + SLOT, slots, gap, at - SLOT - gap);
                    return at - SLOT;
                }
            }
        }
        int gap = at;
        while (slots[gap] != EMPTY && !expired(slots, gap, now)) {
            gap += SLOT;
        }
        if (slots[gap] != EMPTY) {
            release(slots, gap);
        } else if (filled < room && gap < slots.length - SLOT) {
            filled++;
        } else {
            return -1;
        }
        System.arraycopy(slots, at, slots, at + SLOT, gap - at);
        return at;
    }

    private void makeRoom(long key0, long now) {
        if (now >= firstExpiry) {
            moveTo(slots, homes, now);
            if (filled < (homes == maxHomes ? room : room - room / 8)) {
                return;
            }
        }
        if (homes < maxHomes) {
            int more = homes < 64 ? Math.max(FEWEST_HOMES, homes / 2) : homes / 5;
            int next = Math.min(maxHomes, homes + more);
            moveTo(new long[(next + Math.min(next, MOST_OVERHANG) + 1) * SLOT], next, now);
            room = next == maxHomes ? maxKeys : (int) (next * 17L / 20);
        } else {
            evict(emptiestNear(home(key0, homes)));
        }
    }

    /** Moves every live slot to its place in {@code to}, which may be the table itself: slots then only move left. */
    private void moveTo(long[] to, int newHomes, long now) {
        long[] from = slots;
        int last = to.length - SLOT;
        int next = 0;
        int kept = 0;
        long first = FOREVER;
        for (int at = 0; at < from.length - SLOT; at += SLOT) {
            long key0 = from[at];
            if (key0 == EMPTY) {
                continue;
            }
            int target = Math.max(next, home(key0, newHomes));
            if (expired(from, at, now) || target >= last) { // past the last: odds of 10^-10 in a table that grows
                release(from, at);
                continue;
            }
            next = empty(to, next, target);
            System.arraycopy(from, at, to, next, SLOT);
            next += SLOT;
            kept++;
            first = Math.min(first, from[at + META] & FOREVER);
        }
        empty(to, next, to.length);
        slots = to;
        homes = newHomes;
        filled = kept;
        firstExpiry = first;
    }

    private static int empty(long[] slots, int from, int to) {
        for (int at = from; at < to; at += SLOT) {
            slots[at] = EMPTY;
        }
        return Math.max(from, to);
    }

    private int emptiestNear(int home) {
        int last = slots.length - SLOT;
        int width = Math.min(NEIGHBOURHOOD * SLOT, last);
        int from = Math.min(home, last - width);
        int victim = emptiest(from, from + width);
        if (victim < 0 || isBusy(victim)) { // slots near their limit are evicted last, even with few neighbours
            int around = Math.max(0, Math.min(home - FAR * SLOT / 2, last - FAR * SLOT));
            victim = emptiest(around, Math.min(last, around + FAR * SLOT));
        }
        return victim >= 0 ? victim : emptiest(0, last);
    }

    /** Whether more than half of the limit is used. */
    private boolean isBusy(int at) {
        return (slots[at + META] >>> 32 & 0xff) > 127;
    }

    private int emptiest(int from, int to) {
        int victim = -1;
        for (int at = from; at < to; at += SLOT) {
            if (slots[at] != EMPTY && (victim < 0 || worth(at) < worth(victim))) {
                victim = at;
            }
        }
        return victim;
    }

    /** The value that eviction compares: the used share, then the expiry. */
    private long worth(int at) {
        return slots[at + META] & ~IDENTITY;
    }

    private void evict(int at) {
        release(slots, at);
        evictions++;
        int end = at + SLOT;
        while (slots[end] != EMPTY && home(slots[end], homes) < end) {
            end += SLOT;
        }
        System.arraycopy(slots, at + SLOT, slots, at, end - at - SLOT);
        slots[end - SLOT] = EMPTY;
        filled--;
    }

    private void release(long[] slots, int at) {
        if ((slots[at + META] & BLOCK) != 0) {
            arena.free(slots[at + STATE0], (int) slots[at + STATE1]);
        }
    }

    private static boolean expired(long[] slots, int at, long now) {
        return (slots[at + META] & FOREVER) <= now;
    }

    private static int home(long key0, int homes) {
        // Multiplies instead of dividing: any number of homes works, and a larger key never has a smaller home.
        return (int) ((((key0 ^ Long.MIN_VALUE) >>> 32) * homes) >>> 32) * SLOT;
    }
}

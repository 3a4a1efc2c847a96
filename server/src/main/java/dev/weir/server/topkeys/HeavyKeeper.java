package dev.weir.server.topkeys;

import java.util.Arrays;

/**
 * Counts the heaviest of any number of keys in about 12 kB: a table of {@value #TABLE} keys, and a sketch that decides
 * which other keys are heavy enough to enter it. While there are no more keys than the table holds, it counts exactly and
 * has no sketch.
 *
 * <p>The sketch is HeavyKeeper (Gong et al., USENIX ATC 2018): each of {@value #ROWS} rows has {@value #WIDTH} cells with
 * a 16-bit fingerprint and a count {@code c}. A key adds to a cell that has its fingerprint. In another's cell it takes
 * one away with the probability {@code 1.08^-c}, and takes the cell over at zero. So a heavy key's cell hardly decays, and
 * light keys, however many, wear out only each other. A key in the table is counted exactly from then on; what it lost
 * before it entered is the whole error, and a count is hardly ever too high.
 *
 * <p>Unlike in the paper, a key leaves the sketch when it enters the table. Otherwise the heaviest keys held cells that
 * they do not need, and a heavy key whose cells were all theirs never entered.
 *
 * <p>Not thread-safe.
 */
final class HeavyKeeper {
    /** The most keys in the table. */
    static final int TABLE = 128;

    private static final int ROWS = 2;
    private static final int WIDTH = 512;
    private static final int SMALLEST = 8;
    private static final double DECAY = 1.08;
    /** The chance of a decay at each count, as a bound for 31 random bits; beyond, it is next to nothing. */
    private static final int[] CHANCES = chances();

    private final long seed;
    private long random;
    private long[] keys = new long[SMALLEST];
    private int[] counts = new int[SMALLEST];
    /** Positions in the table plus 1, by the hash of their key; 0 for none. */
    private short[] index = new short[4 * SMALLEST];

    private int size;
    /** The position of the smallest count; -1 if unknown. */
    private int smallest = -1;

    private short[] fingerprints = {};
    private int[] cells = {};

    /** Creates an empty one; callers who do not know {@code seed} cannot choose keys that share cells. */
    HeavyKeeper(long seed) {
        this.seed = seed;
        this.random = seed | 1;
    }

    private static int[] chances() {
        int[] chances = new int[256];
        for (int count = 0; count < chances.length; count++) {
            chances[count] = (int) (Integer.MAX_VALUE * Math.pow(DECAY, -count));
        }
        return chances;
    }

    /** Adds {@code weight} to {@code key}; returns whether the key is in the table. */
    boolean add(long key, int weight) {
        long hash = mix(key ^ seed);
        int at = find(key, hash);
        if (at >= 0) {
            counts[at] = saturated(counts[at], weight);
            if (at == smallest) {
                smallest = -1;
            }
            return true;
        }
        if (size < TABLE) {
            insert(key, hash, weight);
            return true;
        }
        if (!isSketched()) {
            startSketch();
        }
        int least = counts[smallest()];
        int estimate = sketch(hash, weight);
        if (estimate <= least) {
            return false;
        }
        removeFromSketch(hash);
        keepInSketch(mix(keys[smallest()] ^ seed), least);
        replace(smallest(), key, estimate);
        return true;
    }

    /** The count of {@code key}; 0 if it is not in the table. */
    int count(long key) {
        int at = find(key, mix(key ^ seed));
        return at < 0 ? 0 : counts[at];
    }

    int size() {
        return size;
    }

    /** The key at {@code position}, which is below {@link #size}; in no order. */
    long key(int position) {
        return keys[position];
    }

    /** The count of the key at {@code position}. */
    int countAt(int position) {
        return counts[position];
    }

    /** The memory that this takes, about. */
    int bytes() {
        return 128 + keys.length * 12 + index.length * 2 + cells.length * 6;
    }

    private boolean isSketched() {
        return cells.length > 0;
    }

    private void startSketch() {
        fingerprints = new short[ROWS * WIDTH];
        cells = new int[ROWS * WIDTH];
    }

    private static int cell(long hash, int row) {
        return row * WIDTH + ((int) (hash >>> (16 * row)) & (WIDTH - 1));
    }

    private static short fingerprint(long hash) {
        return (short) (hash >>> 48);
    }

    /** Adds to the sketch, and returns the estimate of the key. */
    private int sketch(long hash, int weight) {
        short fingerprint = fingerprint(hash);
        int estimate = 0;
        for (int row = 0; row < ROWS; row++) {
            int cell = cell(hash, row);
            if (cells[cell] == 0) {
                fingerprints[cell] = fingerprint;
                cells[cell] = weight;
                estimate = Math.max(estimate, weight);
            } else if (fingerprints[cell] == fingerprint) {
                cells[cell] = saturated(cells[cell], weight);
                estimate = Math.max(estimate, cells[cell]);
            } else {
                estimate = Math.max(estimate, decay(cell, fingerprint, weight));
            }
        }
        return estimate;
    }

    /** Frees the cells of a key that enters the table. */
    private void removeFromSketch(long hash) {
        for (int row = 0; row < ROWS; row++) {
            int cell = cell(hash, row);
            if (fingerprints[cell] == fingerprint(hash)) {
                cells[cell] = 0;
            }
        }
    }

    /** Keeps the count of a key that leaves the table, in the cell where least is lost for it. */
    private void keepInSketch(long hash, int count) {
        int chosen = cell(hash, 0);
        for (int row = 1; row < ROWS; row++) {
            int cell = cell(hash, row);
            if (cells[cell] < cells[chosen]) {
                chosen = cell;
            }
        }
        if (cells[chosen] < count) {
            fingerprints[chosen] = fingerprint(hash);
            cells[chosen] = count;
        }
    }

    /** Lets {@code weight} hits of a key wear out another's cell; returns what the key then has in it. */
    private int decay(int cell, short fingerprint, int weight) {
        int count = cells[cell];
        for (int left = weight; left > 0; left--) {
            if (count < CHANCES.length && nextRandom() < CHANCES[count] && --count == 0) {
                fingerprints[cell] = fingerprint;
                cells[cell] = left;
                return left;
            }
        }
        cells[cell] = count;
        return 0;
    }

    private int nextRandom() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return (int) (random >>> 33);
    }

    private int smallest() {
        if (smallest < 0) {
            int found = 0;
            for (int i = 1; i < size; i++) {
                if (counts[i] < counts[found]) {
                    found = i;
                }
            }
            smallest = found;
        }
        return smallest;
    }

    private void insert(long key, long hash, int count) {
        if (size == keys.length) {
            int larger = size * 2;
            keys = Arrays.copyOf(keys, larger);
            counts = Arrays.copyOf(counts, larger);
            index = new short[4 * larger];
            for (int i = 0; i < size; i++) {
                point(mix(keys[i] ^ seed), i);
            }
        }
        keys[size] = key;
        counts[size] = count;
        point(hash, size++);
        smallest = -1;
    }

    private void replace(int at, long key, int count) {
        keys[at] = key;
        counts[at] = count;
        // Rebuilding 512 shorts is cheaper than it looks, and simpler than deleting from an open-addressed index.
        Arrays.fill(index, (short) 0);
        for (int i = 0; i < size; i++) {
            point(mix(keys[i] ^ seed), i);
        }
        smallest = -1;
    }

    private void point(long hash, int at) {
        int mask = index.length - 1;
        int slot = (int) hash & mask;
        while (index[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        index[slot] = (short) (at + 1);
    }

    private int find(long key, long hash) {
        int mask = index.length - 1;
        int slot = (int) hash & mask;
        while (index[slot] != 0) {
            int at = index[slot] - 1;
            if (keys[at] == key) {
                return at;
            }
            slot = (slot + 1) & mask;
        }
        return -1;
    }

    private static int saturated(int count, int more) {
        return (int) Math.min(Integer.MAX_VALUE, (long) count + more);
    }

    /** The finisher of SplitMix64. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}

package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.store.Check;
import java.util.Arrays;

/**
 * The counters of a batch, each once, by the order in which they were met: an open-addressed table of 128-bit hashes. A name that is
 * counted in two ways is two counters, of which the one written last stays.
 */
final class CounterTable {
    private int[] table = new int[64];
    private long[] key0 = new long[32];
    private long[] key1 = new long[32];
    private MeterKind[] countings = new MeterKind[32];
    private byte[][] names = new byte[32][];
    private int[] places = new int[32];
    private int size;
    private int logs;
    private boolean blocks;
    private int bytes;

    int size() {
        return size;
    }

    /** Of all names together. */
    int bytes() {
        return bytes;
    }

    MeterKind counting(int counter) {
        return countings[counter];
    }

    /** Whether any of them keeps a block. */
    boolean hasBlocks() {
        return blocks;
    }

    /** How many are read whole: all but logs, which may be long. */
    int reads() {
        return size - logs;
    }

    /** Where the script finds a counter among the keys: first those that are read whole. */
    int place(int counter) {
        return countings[counter] == MeterKind.LOG ? reads() + places[counter] : places[counter];
    }

    /** What Redis calls them, each in its {@link #place}. */
    byte[][] names() {
        byte[][] placed = new byte[size][];
        for (int i = 0; i < size; i++) {
            placed[place(i)] = names[i];
        }
        return placed;
    }

    /** The counter of {@code check}, which counts in this way; -1 if it is not here. */
    int find(Check check, MeterKind counting) {
        int found = table[slot(check.key0, check.key1, counting)];
        return found - 1;
    }

    /** Adds a counter that {@link #find} did not find. */
    int add(Check check, MeterKind counting) {
        if (size == names.length) {
            grow();
        }
        int added = size++;
        key0[added] = check.key0;
        key1[added] = check.key1;
        countings[added] = counting;
        places[added] = counting == MeterKind.LOG ? logs++ : added - logs;
        blocks |= counting == MeterKind.LOG || counting == MeterKind.SUB_WINDOWS;
        names[added] = RedisKey.of(check.name);
        bytes += names[added].length;
        table[slot(check.key0, check.key1, counting)] = added + 1;
        return added;
    }

    void clear() {
        Arrays.fill(table, 0);
        Arrays.fill(names, 0, size, null);
        size = 0;
        logs = 0;
        blocks = false;
        bytes = 0;
    }

    private int slot(long hash0, long hash1, MeterKind counting) {
        int mask = table.length - 1;
        int slot = (int) hash0 & mask;
        while (table[slot] != 0 && !is(table[slot] - 1, hash0, hash1, counting)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean is(int counter, long hash0, long hash1, MeterKind counting) {
        return key0[counter] == hash0 && key1[counter] == hash1 && countings[counter] == counting;
    }

    private void grow() {
        int room = names.length * 2;
        key0 = Arrays.copyOf(key0, room);
        key1 = Arrays.copyOf(key1, room);
        countings = Arrays.copyOf(countings, room);
        names = Arrays.copyOf(names, room);
        places = Arrays.copyOf(places, room);
        table = new int[room * 2];
        for (int i = 0; i < size; i++) {
            table[slot(key0[i], key1[i], countings[i])] = i + 1;
        }
    }
}

package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.store.Check;
import java.util.Arrays;

/**
 * The counters of a batch, each once, numbered in the order in which they were added: an open-addressed table of
 * 128-bit hashes. If a name is counted by two kinds of meters, it is two counters; the state written last stays.
 */
final class CounterTable {
    private int[] table = new int[64];
    private long[] key0 = new long[32];
    private long[] key1 = new long[32];
    private MeterKind[] countings = new MeterKind[32];
    private byte[][] names = new byte[32][];
    private int[] positions = new int[32];
    private int size;
    /** How many counters are not {@linkplain #isRead read whole}. */
    private int unread;

    private boolean blocks;
    private boolean permits;
    private boolean levels;
    private int bytes;

    int size() {
        return size;
    }

    /** Returns the length of all names together. */
    int bytes() {
        return bytes;
    }

    MeterKind counting(int counter) {
        return countings[counter];
    }

    /** Returns whether any counter is a block of words. */
    boolean hasBlocks() {
        return blocks;
    }

    /** Returns whether any counter is a set of permits. */
    boolean hasPermits() {
        return permits;
    }

    /** Returns whether any counter is the levels of nodes that count permits. */
    boolean hasLevels() {
        return levels;
    }

    /** Returns how many counters are read whole. */
    int reads() {
        return size - unread;
    }

    /** Returns whether the script reads states of this kind whole: all but logs, permits and levels, which may be long. */
    static boolean isRead(MeterKind counting) {
        return counting != MeterKind.LOG && counting != MeterKind.PERMITS && counting != MeterKind.PERMIT_LEVELS;
    }

    /** Returns the position of a counter among the script's keys: those that are read whole come first. */
    int position(int counter) {
        return isRead(countings[counter]) ? positions[counter] : reads() + positions[counter];
    }

    /** Returns the keys of all counters, each at its {@link #position}. */
    byte[][] names() {
        byte[][] ordered = new byte[size][];
        for (int i = 0; i < size; i++) {
            ordered[position(i)] = names[i];
        }
        return ordered;
    }

    /** Returns the counter of {@code check} with this kind of meter; -1 if it is not in the table. */
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
        positions[added] = isRead(counting) ? added - unread : unread++;
        blocks |= counting == MeterKind.LOG || counting == MeterKind.SUB_WINDOWS;
        permits |= counting == MeterKind.PERMITS;
        levels |= counting == MeterKind.PERMIT_LEVELS;
        names[added] = RedisKey.of(check.name);
        bytes += names[added].length;
        table[slot(check.key0, check.key1, counting)] = added + 1;
        return added;
    }

    void clear() {
        Arrays.fill(table, 0);
        Arrays.fill(names, 0, size, null);
        size = 0;
        unread = 0;
        blocks = false;
        permits = false;
        levels = false;
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
        int capacity = names.length * 2;
        key0 = Arrays.copyOf(key0, capacity);
        key1 = Arrays.copyOf(key1, capacity);
        countings = Arrays.copyOf(countings, capacity);
        names = Arrays.copyOf(names, capacity);
        positions = Arrays.copyOf(positions, capacity);
        table = new int[capacity * 2];
        for (int i = 0; i < size; i++) {
            table[slot(key0[i], key1[i], countings[i])] = i + 1;
        }
    }
}

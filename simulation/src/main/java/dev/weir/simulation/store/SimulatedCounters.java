package dev.weir.simulation.store;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counters by their 128-bit key, with two words each, or a block of words for logs and sub-windows. Recent writes can
 * be undone: a failover does so with writes that had not reached the replica.
 */
public final class SimulatedCounters {
    private static final long[] NO_WORDS = {};

    private long[] keys = new long[2 * 1024];
    private int[] places = new int[1024];
    private long[] states = new long[2 * 1024];
    private long[] byId = new long[2 * 1024];
    private final Map<Integer, long[]> blocks = new HashMap<>();
    private int size;

    /** How far back writes can be undone; 0 if not at all. */
    private long rememberedNanos;

    private final ArrayDeque<Write> writes = new ArrayDeque<>();

    /** The contents of a counter before a write. */
    private static final class Write {
        final long moment;
        final int id;
        final long state0, state1;
        final long @Nullable [] block;

        Write(long moment, int id, long state0, long state1, long @Nullable [] block) {
            this.moment = moment;
            this.id = id;
            this.state0 = state0;
            this.state1 = state1;
            this.block = block;
        }
    }

    /** Makes later writes undoable for {@code nanos}. */
    public void remember(long nanos) {
        rememberedNanos = Math.max(rememberedNanos, nanos);
    }

    /** The number of a counter; numbers are consecutive from 0. */
    public int id(long key0, long key1) {
        int mask = places.length - 1;
        int at = home(key0, key1, mask);
        while (places[at] != 0) {
            if (keys[2 * at] == key0 && keys[2 * at + 1] == key1) {
                return places[at] - 1;
            }
            at = (at + 1) & mask;
        }
        int id = size++;
        if (2 * id == states.length) {
            states = Arrays.copyOf(states, states.length * 2);
            byId = Arrays.copyOf(byId, byId.length * 2);
        }
        byId[2 * id] = key0;
        byId[2 * id + 1] = key1;
        keys[2 * at] = key0;
        keys[2 * at + 1] = key1;
        places[at] = id + 1;
        if (size * 2L > places.length) {
            grow();
        }
        return id;
    }

    public long state0(int id) {
        return states[2 * id];
    }

    public long state1(int id) {
        return states[2 * id + 1];
    }

    public void write(int id, long state0, long state1, long now) {
        if (rememberedNanos > 0) {
            note(new Write(now, id, states[2 * id], states[2 * id + 1], null));
        }
        states[2 * id] = state0;
        states[2 * id + 1] = state1;
    }

    /** The block of a log or of sub-windows; callers must not write to it. */
    public long[] block(int id) {
        return blocks.getOrDefault(id, NO_WORDS);
    }

    public void writeBlock(int id, long[] words, long now) {
        if (rememberedNanos > 0) {
            note(new Write(now, id, 0, 0, block(id)));
        }
        blocks.put(id, words);
    }

    /** Undoes everything that was written after {@code moment}. */
    public void rollBack(long moment) {
        while (!writes.isEmpty() && writes.getLast().moment > moment) {
            Write last = writes.removeLast();
            if (last.block != null) {
                blocks.put(last.id, last.block);
            } else {
                states[2 * last.id] = last.state0;
                states[2 * last.id + 1] = last.state1;
            }
        }
    }

    private void note(Write write) {
        writes.addLast(write);
        while (writes.getFirst().moment < write.moment - rememberedNanos) {
            writes.removeFirst();
        }
    }

    private void grow() {
        int length = places.length * 2;
        places = new int[length];
        keys = new long[2 * length];
        for (int id = 0; id < size; id++) {
            int at = home(byId[2 * id], byId[2 * id + 1], length - 1);
            while (places[at] != 0) {
                at = (at + 1) & (length - 1);
            }
            keys[2 * at] = byId[2 * id];
            keys[2 * at + 1] = byId[2 * id + 1];
            places[at] = id + 1;
        }
    }

    private static int home(long key0, long key1, int mask) {
        long hash = (key0 ^ Long.rotateLeft(key1, 32)) * 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 32) & mask;
    }
}

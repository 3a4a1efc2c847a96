package dev.weir.internal.runtime;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A fixed table that remembers a small number, mostly a time, for keys that were met lately. One word for each key: the upper bits
 * of its hash, and the stamp below them. A key that finds its place taken takes it, so whoever asks must do without an answer.
 * Threads share it; nothing is allocated.
 */
public final class StampTable {
    private final AtomicLongArray words;
    private final long stampMask;

    /** A table of at most {@code places} words, with stamps of {@code stampBits}. */
    public StampTable(int places, int stampBits) {
        words = new AtomicLongArray(Integer.highestOneBit(Math.max(1, places)));
        stampMask = (1L << stampBits) - 1;
    }

    /** The word at the place of {@code hash}, which may be another key's. */
    public long word(long hash) {
        return words.get(place(hash));
    }

    /** Whether {@code word} is the one of {@code hash}. */
    public boolean isOf(long word, long hash) {
        return word != 0 && (word | stampMask) == (hash | stampMask);
    }

    /** The stamp in {@code word}. */
    public long stamp(long word) {
        return word & stampMask;
    }

    /** How much later {@code stamp}, of which the lower bits count, is than that of {@code word}; stamps start over. */
    public long since(long word, long stamp) {
        return (stamp - word) & stampMask;
    }

    /** Stamps {@code hash}. */
    public void set(long hash, long stamp) {
        words.set(place(hash), wordOf(hash, stamp));
    }

    /** Stamps {@code hash} if {@code expected} is still the word at its place. */
    public boolean compareAndSet(long hash, long expected, long stamp) {
        return words.compareAndSet(place(hash), expected, wordOf(hash, stamp));
    }

    /** Forgets {@code hash}, unless its place is another key's. */
    public void remove(long hash) {
        if (isOf(word(hash), hash)) {
            words.set(place(hash), 0);
        }
    }

    private long wordOf(long hash, long stamp) {
        return (hash & ~stampMask) | (stamp & stampMask);
    }

    private int place(long hash) {
        return (int) hash & words.length() - 1;
    }
}

package dev.weir.internal.runtime;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A fixed-size table that keeps a small number, usually a time, for recently seen keys. Each key has one word: the
 * upper bits of its hash, and the stamp below them. A new key overwrites the key in its place, so callers must cope
 * with a missing stamp. It is thread-safe and allocates nothing.
 */
public final class StampTable {
    private final AtomicLongArray words;
    private final long stampMask;

    /** Creates a table of at most {@code places} words, with stamps of {@code stampBits}. */
    public StampTable(int places, int stampBits) {
        words = new AtomicLongArray(Integer.highestOneBit(Math.max(1, places)));
        stampMask = (1L << stampBits) - 1;
    }

    /** The word at the place of {@code hash}, which may belong to another key. */
    public long word(long hash) {
        return words.get(place(hash));
    }

    /** Whether {@code word} belongs to {@code hash}. */
    public boolean isOf(long word, long hash) {
        return word != 0 && (word | stampMask) == (hash | stampMask);
    }

    /** The stamp in {@code word}. */
    public long stamp(long word) {
        return word & stampMask;
    }

    /** The difference between {@code stamp} and the stamp of {@code word}, modulo the stamp's width. */
    public long since(long word, long stamp) {
        return (stamp - word) & stampMask;
    }

    /** Sets the stamp of {@code hash}. */
    public void set(long hash, long stamp) {
        words.set(place(hash), wordOf(hash, stamp));
    }

    /** Sets the stamp of {@code hash} if the word at its place is still {@code expected}. */
    public boolean compareAndSet(long hash, long expected, long stamp) {
        return words.compareAndSet(place(hash), expected, wordOf(hash, stamp));
    }

    /** Removes {@code hash}, unless another key has its place. */
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

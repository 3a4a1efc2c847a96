package dev.weir.algorithm;

import dev.weir.model.Limit;

/** A meter whose state is a block of words of varying length; a block of no words is a counter that was never used. */
public abstract non-sealed class BlockMeter extends Meter {

    BlockMeter(Limit limit) {
        super(limit);
    }

    /** The most words that {@link #take} will ever need. */
    public abstract int maxWords();

    /**
     * Asks whether {@code hits} fit, reading {@code words} words of {@code memory} from {@code at}. Counts nothing; only moments
     * that lie ahead by more than a window, because a clock stepped back, are set right in place.
     */
    public abstract void ask(long[] memory, int at, int words, long now, long hits, Outcome out);

    /** How many words the block needs for {@link #take} with these arguments. */
    public abstract int wordsToTake(long[] memory, int at, int words, long now, long hits);

    /** Takes hits that {@link #ask} allowed; the block, at least {@link #wordsToTake} long, is zero past what it held before. */
    public abstract void take(long[] memory, int at, int words, long now, long hits);
}

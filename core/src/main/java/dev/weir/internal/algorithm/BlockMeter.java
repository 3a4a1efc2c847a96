package dev.weir.internal.algorithm;

import dev.weir.Limit;

/** A meter whose state is a block of words of varying length; a block of no words is a counter that was never used. */
public abstract non-sealed class BlockMeter extends Meter {

    private final UsedShare share;

    BlockMeter(Limit limit) {
        super(limit);
        this.share = new UsedShare(limit.requests());
    }

    /**
     * Writes the outcome of an {@link #ask} that was made elsewhere: with so many hits used after it, and what it said of reset
     * and retry-after (0: the hits fit).
     */
    public final void told(long used, long reset, long retryAfter, Outcome out) {
        out.allowed = retryAfter == 0;
        out.retryAfter = retryAfter;
        out.delay = 0;
        out.reset = reset;
        tell(used, out);
    }

    /** What is left, and the share that is not. */
    final void tell(long used, Outcome out) {
        long requests = limit().requests();
        out.remaining = Math.max(0, requests - used);
        out.used = share.of(Math.min(requests, used));
    }

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

package dev.weir.internal.algorithm;

import dev.weir.Limit;

/**
 * A meter whose state is a block of words of varying length. A block of zero words is a counter that was never used.
 */
public abstract non-sealed class BlockMeter extends Meter {

    private final UsedShare share;

    BlockMeter(Limit limit) {
        super(limit);
        this.share = new UsedShare(limit.requests());
    }

    /**
     * Writes the outcome of an {@link #ask} that another process computed.
     *
     * @param used hits in use after it
     * @param reset microseconds until the counter is as good as new
     * @param retryAfter microseconds until the hits fit; 0 if they fit
     */
    public void told(long used, long reset, long retryAfter, Outcome out) {
        out.allowed = retryAfter == 0;
        out.retryAfter = retryAfter;
        out.delay = 0;
        out.reset = reset;
        writeUsage(used, out);
    }

    /** Writes the remaining hits and the used share. */
    final void writeUsage(long used, Outcome out) {
        long requests = limit().requests();
        out.remaining = Math.max(0, requests - used);
        out.used = share.of(Math.min(requests, used));
    }

    /**
     * Asks whether {@code hits} fit, reading {@code words} words of {@code memory} from {@code at}. Counts nothing. It
     * only repairs, in place, moments that lie more than one window ahead because a clock stepped back.
     */
    public abstract void ask(long[] memory, int at, int words, long now, long hits, Outcome out);

    /** The number of words that the block needs for {@link #take} with these arguments. */
    public abstract int wordsToTake(long[] memory, int at, int words, long now, long hits);

    /**
     * Answers hits that are charged whether they fit or not, as a debt; {@link #take} then takes them. Returns how many
     * to take: no meter needs more than this to deny for as long as all of them would.
     */
    public final long charge(long[] memory, int at, int words, long now, long hits, Outcome out) {
        ask(memory, at, words, now, 0, out);
        out.allowed = true;
        out.retryAfter = 0;
        out.remaining = Math.max(0, out.remaining - hits);
        out.used = share.of(limit().requests() - out.remaining);
        out.reset = 2 * limit().windowMicros();
        return Math.min(hits, mostOwed());
    }

    /** The most hits of one charge that make a difference. */
    abstract long mostOwed();

    /** Takes hits that {@link #ask} allowed. The block has at least {@link #wordsToTake} words; new words are zero. */
    public abstract void take(long[] memory, int at, int words, long now, long hits);

    /**
     * Microseconds for which a block must be kept whose counter is as good as new in {@code reset}. It is longer if the
     * block has entries of an earlier limit that last longer.
     */
    public long lasts(long[] memory, int at, int words, long now, long reset) {
        return reset;
    }
}

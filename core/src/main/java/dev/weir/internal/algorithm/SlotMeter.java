package dev.weir.internal.algorithm;

import dev.weir.Limit;

/** A meter whose whole state is two words. */
public abstract non-sealed class SlotMeter extends Meter {

    SlotMeter(Limit limit) {
        super(limit);
    }

    /**
     * Asks whether {@code hits} fit at {@code now} (microseconds since the epoch) and writes the answer, and the state to
     * keep if they are taken, into {@code out}. With {@code countDenied}, hits that do not fit count as well, saturating;
     * only a fixed window knows that, every other meter counts what passes.
     *
     * <p>It answers for any two words, also for two that never stood together: a store may have read them while another wrote,
     * and finds that out afterwards.
     */
    public abstract void apply(long state0, long state1, long now, long hits, boolean countDenied, Outcome out);
}

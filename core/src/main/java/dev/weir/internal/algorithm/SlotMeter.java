package dev.weir.internal.algorithm;

import dev.weir.Limit;

/** A meter whose whole state is two words. */
public abstract non-sealed class SlotMeter extends Meter {

    SlotMeter(Limit limit) {
        super(limit);
    }

    /**
     * Asks whether {@code hits} fit at {@code now} (microseconds since the epoch). Writes the answer into {@code out},
     * and the state to keep if the hits are taken. With {@code countDenied}, hits that do not fit count as well,
     * saturating; only a fixed window supports this, every other meter counts only hits that pass.
     *
     * <p>It must return for any two words, also for a torn pair: a store may read them while another thread writes, and
     * detects that afterwards.
     */
    public abstract void apply(long state0, long state1, long now, long hits, boolean countDenied, Outcome out);

    /**
     * Charges {@code hits}, which are more than 0, whether they fit or not. Hits beyond the limit are a debt: nothing
     * fits until it is repaid. It saturates, and always passes.
     */
    public abstract void charge(long state0, long state1, long now, long hits, Outcome out);
}

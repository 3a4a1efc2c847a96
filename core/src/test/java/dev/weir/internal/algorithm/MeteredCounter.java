package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.util.Arrays;

/** One counter as a store would keep it, whichever kind of state its meter has. */
final class MeteredCounter {
    /** Blocks lie in the middle of a larger memory, and have words to spare. */
    private static final int AT = 3;

    final Outcome out = new Outcome();
    private Meter meter;
    private long state0;
    private long state1;
    private long[] memory = new long[AT];
    private int words;

    MeteredCounter(Meter meter) {
        this.meter = meter;
    }

    static MeteredCounter of(Limit limit) {
        return new MeteredCounter(Meters.of(limit));
    }

    /** Another counter in the same state. */
    MeteredCounter copy() {
        MeteredCounter copy = new MeteredCounter(meter);
        copy.state0 = state0;
        copy.state1 = state1;
        copy.memory = memory.clone();
        copy.words = words;
        return copy;
    }

    /** The same counter after its limit was changed live. */
    MeteredCounter changedTo(Limit limit) {
        MeteredCounter changed = copy();
        changed.meter = Meters.of(limit);
        return changed;
    }

    MeteredCounter state(long state0, long state1) {
        this.state0 = state0;
        this.state1 = state1;
        return this;
    }

    Meter meter() {
        return meter;
    }

    /** Asks; keeps nothing. */
    Outcome ask(long now, long hits) {
        if (meter instanceof SlotMeter slot) {
            slot.apply(state0, state1, now, hits, false, out);
        } else {
            ((BlockMeter) meter).ask(memory.clone(), AT, words, now, hits, out);
        }
        return out;
    }

    /** Asks, and takes if the hits fit. */
    Outcome take(long now, long hits) {
        if (meter instanceof SlotMeter slot) {
            slot.apply(state0, state1, now, hits, false, out);
            state0 = out.state0;
            state1 = out.state1;
        } else {
            BlockMeter block = (BlockMeter) meter;
            block.ask(memory, AT, words, now, hits, out);
            if (out.allowed) {
                int needed = block.wordsToTake(memory, AT, words, now, hits);
                if (needed > words) {
                    words = needed + (int) (now & 1);
                    memory = Arrays.copyOf(memory, AT + words + 1);
                }
                block.take(memory, AT, words, now, hits);
            }
            if (memory[0] != 0 || memory[AT - 1] != 0 || (memory.length > AT && memory[AT + words] != 0)) {
                throw new AssertionError("wrote outside its block: " + Arrays.toString(memory));
            }
        }
        return out;
    }

    /** All of the state. */
    String state() {
        return state0 + " " + state1 + " " + Arrays.toString(Arrays.copyOfRange(memory, AT, AT + words));
    }
}

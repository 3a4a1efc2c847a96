package dev.weir.simulation.oracle;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.simulation.store.SimulatedCounters;
import java.util.Arrays;

/** Counters in one place, without delay: a request is checked first and taken afterwards. */
final class CentralCounters {
    private final SimulatedCounters counters = new SimulatedCounters();
    private final Outcome out = new Outcome();

    /** Whether {@code hits} fit. */
    boolean fits(Meter meter, long counter, long hits, long now) {
        int id = counters.id(counter, 0);
        if (meter instanceof SlotMeter slots) {
            slots.apply(counters.state0(id), counters.state1(id), now, hits, false, out);
        } else {
            long[] words = counters.block(id).clone();
            ((BlockMeter) meter).ask(words, 0, words.length, now, hits, out);
        }
        return out.allowed;
    }

    /** Takes {@code hits} if they fit, and returns whether they did. */
    boolean take(Meter meter, long counter, long hits, long now) {
        int id = counters.id(counter, 0);
        if (meter instanceof SlotMeter slots) {
            slots.apply(counters.state0(id), counters.state1(id), now, hits, false, out);
            if (out.allowed) {
                counters.write(id, out.state0, out.state1, 0);
            }
            return out.allowed;
        }
        BlockMeter blocks = (BlockMeter) meter;
        long[] words = counters.block(id);
        blocks.ask(words, 0, words.length, now, hits, out);
        if (out.allowed) {
            int needed = blocks.wordsToTake(words, 0, words.length, now, hits);
            long[] after = needed > words.length ? Arrays.copyOf(words, needed) : words;
            blocks.take(after, 0, after.length, now, hits);
            counters.writeBlock(id, after, 0);
        }
        return out.allowed;
    }
}

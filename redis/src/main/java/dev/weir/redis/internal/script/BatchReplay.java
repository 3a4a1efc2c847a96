package dev.weir.redis.internal.script;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import java.util.List;
import java.util.Objects;

/** Applies the checks of a batch in order to the states that the script found, as the script did. */
final class BatchReplay {
    private final CounterTable counters;
    private long[] state0 = new long[0];
    private long[] state1 = new long[0];
    /** Counters whose state is in a format of a later version. */
    private boolean[] unknown = new boolean[0];

    private int unknownChecks;
    private long[] undo = new long[16];
    private final BlockAnswers blocks = new BlockAnswers();
    private final Outcome spare = new Outcome();
    /** The hits of each grant that was asked for again, and the index of the next. */
    private long[] recalls = new long[0];

    private int nextRecall;

    BatchReplay(CounterTable counters) {
        this.counters = counters;
    }

    /**
     * Starts from these states, one for each counter that is read, and the block answers; false if their number or type
     * is wrong.
     */
    boolean begin(List<?> states, List<?> answers, int expected) {
        int size = counters.size();
        if (states.size() != counters.reads() || !blocks.begin(answers, expected)) {
            return false;
        }
        if (state0.length < size) {
            state0 = new long[Math.max(64, 2 * size)];
            state1 = new long[Math.max(64, 2 * size)];
            unknown = new boolean[Math.max(64, 2 * size)];
        }
        unknownChecks = 0;
        for (int i = 0; i < size; i++) {
            MeterKind counting = counters.counting(i);
            Object state = CounterTable.isRead(counting) ? states.get(counters.position(i)) : null;
            if (state == null) {
                state0[i] = 0;
                state1[i] = 0;
                unknown[i] = false;
            } else if (state instanceof byte[] bytes) {
                state0[i] = StateFormat.word0(counting, bytes);
                state1[i] = StateFormat.word1(counting, bytes);
                unknown[i] = StateFormat.isUnknown(bytes);
            } else {
                return false;
            }
        }
        return true;
    }

    /** Starts with the hits of the grants that were asked for again; false if their type is wrong. */
    boolean recalls(List<?> hits) {
        nextRecall = 0;
        if (recalls.length < hits.size()) {
            recalls = new long[2 * hits.size()];
        }
        for (int i = 0; i < hits.size(); i++) {
            if (!(hits.get(i) instanceof Long number)) {
                return false;
            }
            recalls[i] = number;
        }
        return true;
    }

    /** Decides {@code group}, whose counters are at {@code asked[from]} and after; returns how many passed, 0 or 1. */
    int group(CheckGroup group, int[] asked, int[] answered, int from, long now) {
        int size = group.size();
        if (size == 1 && !group.askOnly && group.idempotency == null) {
            Check check = group.get(0);
            apply(check, asked[from], answered[from], check.countsDenied, now);
            group.allowed = group.passes();
            return check.outcome.allowed && check.failure == null ? 1 : 0;
        }
        if (undo.length < 2 * size) {
            undo = new long[4 * size];
        }
        for (int i = 0; i < size; i++) {
            int counter = asked[from + i];
            undo[2 * i] = state0[counter];
            undo[2 * i + 1] = state1[counter];
            Check check = group.get(i);
            apply(check, counter, answered[from + i], check.countsDenied && !group.askOnly, now);
        }
        group.allowed = !group.askOnly && group.passes();
        if (group.allowed) {
            return size == 0 && group.idempotency == null ? 0 : 1;
        }
        for (int i = size - 1; i >= 0; i--) {
            int counter = asked[from + i];
            state0[counter] = undo[2 * i];
            state1[counter] = undo[2 * i + 1];
        }
        for (int i = 0; i < size; i++) {
            Check check = group.get(i);
            deny(check, asked[from + i], check.countsDenied && !group.askOnly, now);
        }
        return 0;
    }

    /** Decides the leases of {@code group}, which {@code passed} or not; returns how many hits were taken. */
    long leases(CheckGroup group, int[] asked, int[] answered, int from, boolean passed, long now) {
        long taken = 0;
        for (int i = 0; i < group.size(); i++) {
            Check check = group.get(i);
            check.granted = 0;
            if (group.leases(i) && check.again && check.lessee != 0) {
                check.granted = recall(check, asked[from + i], answered[from + i], now);
                taken += check.granted;
            } else if (passed && group.leases(i) && check.failure == null) {
                check.granted = lease(check, asked[from + i], answered[from + i], now);
                taken += check.granted;
            }
        }
        return taken;
    }

    private long recall(Check check, int counter, int answer, long now) {
        long hits = recalls[nextRecall++];
        if (check.failure == null && check.meter instanceof BlockMeter block) {
            blocks.lease(answer, block, spare, check.outcome);
        } else if (check.failure == null && check.meter instanceof SlotMeter meter) {
            apply(spare, meter, counter, 0, false, now);
            check.outcome.standAs(spare);
        }
        return hits;
    }

    private long lease(Check check, int counter, int answer, long now) {
        if (check.meter instanceof BlockMeter block) {
            return blocks.lease(answer, block, spare, check.outcome);
        }
        SlotMeter meter = (SlotMeter) Objects.requireNonNull(check.meter);
        apply(spare, meter, counter, 0, false, now);
        long fits = Math.min(Math.min(check.ahead, BatchProgram.MAX_HITS), Math.max(0, spare.remaining));
        if (fits > 0) {
            apply(spare, meter, counter, fits, false, now);
        }
        check.outcome.standAs(spare);
        return fits;
    }

    /** How many checks asked a counter that a later version wrote. */
    int unknownChecks() {
        return unknownChecks;
    }

    long word0(int counter) {
        return state0[counter];
    }

    long word1(int counter) {
        return state1[counter];
    }

    /**
     * Updates the outcome of a check in a denied group. Its verdict stays; remaining and reset describe the counter
     * without its hits, or with the hits counted.
     */
    private void deny(Check check, int counter, boolean counts, long now) {
        if (!(check.meter instanceof SlotMeter meter) || check.failure != null) {
            return; // the script's answer is complete, or there is none
        }
        Outcome out = check.outcome;
        boolean allowed = out.allowed;
        long retryAfter = out.retryAfter;
        apply(out, meter, counter, counts ? check.hits : 0, counts, now);
        out.allowed = allowed;
        out.retryAfter = retryAfter;
    }

    private void apply(Check check, int counter, int answer, boolean counts, long now) {
        boolean isUnknown = check.meter instanceof BlockMeter ? blocks.isUnknown(answer) : unknown[counter];
        check.failure = isUnknown ? StoreFailure.UNKNOWN_FORMAT : null;
        if (isUnknown) {
            unknownChecks++;
            check.outcome.allowed = true; // stops nobody: its rule's on_fail decides
        } else if (check.meter instanceof SlotMeter meter) {
            if (check.owed) {
                meter.charge(state0[counter], state1[counter], now, BatchProgram.hits(check), check.outcome);
                state0[counter] = check.outcome.state0;
                state1[counter] = check.outcome.state1;
            } else {
                apply(check.outcome, meter, counter, check.hitsAt(state0[counter]), counts, now);
            }
        } else if (check.meter instanceof BlockMeter meter) {
            blocks.next(answer, meter, check.hits, check.outcome);
        }
    }

    private void apply(Outcome out, SlotMeter meter, int counter, long hits, boolean countDenied, long now) {
        meter.apply(state0[counter], state1[counter], now, hits, countDenied, out);
        state0[counter] = out.state0;
        state1[counter] = out.state1;
    }
}

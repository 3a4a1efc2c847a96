package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.algorithm.SlotWords;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Restores the outcomes of a request that was admitted before, from its idempotency record. The record has the
 * microsecond (7 bytes), the fingerprint, then for each check four numbers of 7 bytes: its state before, or the
 * script's answer if that is a block. Times relative to now, like the reset, are reduced by the time that has passed
 * since.
 */
final class IdempotencyRecordReader {
    private static final long CONFLICT = 1;
    private static final int NUMBER = 7;
    private static final int CHECK = 4 * NUMBER;

    private IdempotencyRecordReader() {}

    /** Reads the script's answer {@code known} for the key, at {@code now}; returns whether it knew the key. */
    static boolean read(CheckGroup group, int fingerprintLength, @Nullable Object known, long now) {
        group.repeated = known instanceof byte[];
        group.conflict = known instanceof Long code && code == CONFLICT;
        if (known instanceof byte[] record) {
            group.allowed = true;
            int from = NUMBER + fingerprintLength;
            // If the rules have changed since, the checks differ. Their outcomes are those of unused counters.
            boolean same = record.length == from + group.size() * CHECK;
            byte[] numbers = same ? record : Arrays.copyOf(record, from + group.size() * CHECK);
            if (!same) {
                Arrays.fill(numbers, from, numbers.length, (byte) 0);
            }
            long then = number(numbers, 0);
            for (int i = 0; i < group.size(); i++) {
                restore(group.get(i), numbers, from + i * CHECK, then);
                Outcome outcome = group.get(i).outcome;
                outcome.reset = Math.max(0, outcome.reset - (now - then));
                outcome.delay = Math.max(0, outcome.delay - (now - then));
            }
        } else if (group.conflict) {
            group.allowed = false;
        }
        return group.repeated || group.conflict;
    }

    private static void restore(Check check, byte[] record, int at, long now) {
        long a = number(record, at);
        long b = number(record, at + NUMBER);
        long c = number(record, at + 2 * NUMBER);
        long d = number(record, at + 3 * NUMBER);
        if (check.meter instanceof BlockMeter meter) {
            meter.told(b, d, c, check.outcome);
        } else if (check.meter instanceof SlotMeter meter) {
            MeterKind counting = meter.counting();
            long state0 = switch (counting) {
                case BUCKET -> SlotWords.bucket0(a, b, c);
                case SLIDING_WINDOW -> SlotWords.slidingWindow0(a, b);
                default -> SlotWords.fixedWindow0(a);
            };
            long state1 = switch (counting) {
                case BUCKET -> SlotWords.bucket1(d, b);
                case SLIDING_WINDOW -> SlotWords.slidingWindow1(c, d);
                default -> SlotWords.fixedWindow1(b);
            };
            meter.apply(state0, state1, now, check.hits, check.countsDenied, check.outcome);
        }
    }

    private static long number(byte[] record, int at) {
        long number = record[at]; // the sign is in the first byte
        for (int i = 1; i < NUMBER; i++) {
            number = number << 8 | (record[at + i] & 0xFF);
        }
        return number;
    }
}

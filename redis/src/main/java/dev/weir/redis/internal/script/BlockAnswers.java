package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Outcome;
import java.util.List;

/**
 * The script's answers for counters that are blocks, which are too long to return. For each entry there are four
 * numbers: how many of its run were granted, and the state after it: the hits used, the time until the next hit fits,
 * and the time until nothing counts any more.
 */
final class BlockAnswers {
    /** The numbers of one answer. */
    static final int NUMBERS = 4;

    private static final int GRANTED = 0;
    private static final int USED = 1;
    private static final int RETRY_AFTER = 2;
    private static final int RESET = 3;
    /** In the place of how many were granted. */
    private static final long UNKNOWN = -1;

    private long[] numbers = new long[0];
    /** For each answer, how many checks of its run were read. */
    private int[] read = new int[0];

    /** Starts from the numbers of {@code expected} answers; false if their number or type is wrong. */
    boolean begin(List<?> answers, int expected) {
        if (answers.size() != NUMBERS * expected) {
            return false;
        }
        if (read.length < expected) {
            read = new int[2 * expected];
            numbers = new long[2 * NUMBERS * expected];
        }
        for (int i = 0; i < NUMBERS * expected; i++) {
            if (!(answers.get(i) instanceof Long number)) {
                return false;
            }
            numbers[i] = number;
            read[i / NUMBERS] = 0;
        }
        return true;
    }

    /** Returns whether the script could not read the counter of {@code answer}, because a later version wrote it. */
    boolean isUnknown(int answer) {
        return numbers[NUMBERS * answer + GRANTED] == UNKNOWN;
    }

    /** Computes the outcome of the next check in the run of {@code answer}. */
    void next(int answer, BlockMeter meter, long hits, Outcome out) {
        int at = NUMBERS * answer;
        long later = numbers[at + GRANTED] - ++read[answer];
        if (later >= 0) {
            // Checks granted later in the run are not charged yet. Checks with hits <= 0 are alone in their run or
            // change nothing.
            long used = numbers[at + USED] - later * Math.max(0, hits);
            meter.told(used, numbers[at + RESET], 0, out);
        } else {
            meter.told(numbers[at + USED], numbers[at + RESET], numbers[at + RETRY_AFTER], out);
        }
    }

    /** Returns how many hits {@code answer} leased; {@code out} describes the counter after them. */
    long lease(int answer, BlockMeter meter, Outcome spare, Outcome out) {
        int at = NUMBERS * answer;
        meter.told(numbers[at + USED], numbers[at + RESET], 0, spare);
        out.standAs(spare);
        return numbers[at + GRANTED];
    }
}

package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.BlockMeter;
import dev.weir.internal.algorithm.Outcome;
import java.util.List;

/**
 * What the script answers where a counter is a block, too long to be told: for each entry how many of its run were granted, and after
 * it what is used, when the next would fit, and when nothing counts any more.
 */
final class BlockAnswers {
    /** Of an answer. */
    static final int NUMBERS = 4;

    private static final int GRANTED = 0;
    private static final int USED = 1;
    private static final int RETRY_AFTER = 2;
    private static final int RESET = 3;
    /** In the place of how many were granted. */
    private static final long UNKNOWN = -1;

    private long[] numbers = new long[0];
    private int[] told = new int[0];

    /** Takes the numbers of so many answers; false if that is not what they are. */
    boolean begin(List<?> answers, int expected) {
        if (answers.size() != NUMBERS * expected) {
            return false;
        }
        if (told.length < expected) {
            told = new int[2 * expected];
            numbers = new long[2 * NUMBERS * expected];
        }
        for (int i = 0; i < NUMBERS * expected; i++) {
            if (!(answers.get(i) instanceof Long number)) {
                return false;
            }
            numbers[i] = number;
            told[i / NUMBERS] = 0;
        }
        return true;
    }

    /** Whether the script could not read the counter that {@code answer} is about: a later version wrote it. */
    boolean isUnknown(int answer) {
        return numbers[NUMBERS * answer + GRANTED] == UNKNOWN;
    }

    /** The outcome of the next of the run that {@code answer} is about. */
    void next(int answer, BlockMeter meter, long hits, Outcome out) {
        int at = NUMBERS * answer;
        long later = numbers[at + GRANTED] - ++told[answer];
        if (later >= 0) {
            // Those granted later in the run are not taken yet; what is given back or asked for comes alone or changes
            // nothing.
            long used = numbers[at + USED] - later * Math.max(0, hits);
            meter.told(used, numbers[at + RESET], 0, out);
        } else {
            meter.told(numbers[at + USED], numbers[at + RESET], numbers[at + RETRY_AFTER], out);
        }
    }

    /** How many hits {@code answer} granted ahead; {@code out} stands as after them. */
    long lease(int answer, BlockMeter meter, Outcome spare, Outcome out) {
        int at = NUMBERS * answer;
        meter.told(numbers[at + USED], numbers[at + RESET], 0, spare);
        out.standAs(spare);
        return numbers[at + GRANTED];
    }
}

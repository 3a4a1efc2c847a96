package dev.weir.control.decisions;

import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A decision taken down to be written later: a buffer of the ring, filled again and again. A caller can send two megabytes, so
 * what it holds on to is bounded; of a larger request the verdicts are kept and the values are not.
 */
final class RecordedDecision {
    static final int MOST_VERDICTS = 32;
    private static final int MOST_ENTRIES = 128;
    private static final int MOST_LETTERS = 4_096;

    final Request request = Request.to("");
    MutableVerdict[] verdicts = new MutableVerdict[0];
    int size;
    boolean allowed;
    boolean hasValues;
    long micros;

    @Nullable
    RuleIndex rules;

    /**
     * Takes {@code decision} down.
     *
     * @param deniedOnly the checks that were over their limit, and no others
     * @return how many checks there was no room for
     */
    int take(Request asked, MutableDecision decision, boolean deniedOnly, @Nullable RuleIndex inForce) {
        size = 0;
        int left = 0;
        for (int i = 0, checks = decision.size(); i < checks; i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (!deniedOnly || !verdict.allowed()) {
                if (size < MOST_VERDICTS) {
                    add(verdict);
                } else {
                    left++;
                }
            }
        }
        allowed = decision.allowed();
        micros = decision.nowMicros();
        rules = inForce;
        hasValues = isSmall(asked);
        if (hasValues) {
            request.set(asked);
        } else {
            request.clear(asked.domain());
        }
        return left;
    }

    private void add(MutableVerdict verdict) {
        if (size == verdicts.length) {
            verdicts = Arrays.copyOf(verdicts, Math.max(2, size * 2));
        }
        if (verdicts[size] == null) {
            verdicts[size] = new MutableVerdict();
        }
        verdicts[size++].set(verdict);
    }

    private static boolean isSmall(Request request) {
        int descriptors = request.descriptors();
        int entries = descriptors == 0 ? 0 : request.end(descriptors - 1);
        if (descriptors > MOST_ENTRIES || entries > MOST_ENTRIES) {
            return false;
        }
        long letters = 0;
        for (int i = 0; i < entries; i++) {
            letters += request.key(i).length() + request.value(i).length();
        }
        return letters <= MOST_LETTERS;
    }
}

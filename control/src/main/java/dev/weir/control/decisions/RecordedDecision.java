package dev.weir.control.decisions;

import dev.weir.Request;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A decision recorded to be written later, in a reused buffer of the ring. A caller can send two megabytes, so the
 * buffer's size is bounded: of a larger request it keeps the verdicts and not the values.
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

    @Nullable
    Ban ban;

    /**
     * Copies {@code decision}.
     *
     * @param deniedOnly whether to copy only the checks that were over their limit
     * @return the number of checks that did not fit
     */
    int set(Request source, MutableDecision decision, boolean deniedOnly, @Nullable RuleIndex inForce) {
        size = 0;
        int leftOut = 0;
        ban = decision.ban();
        if (ban != null) {
            size = 1; // the ban decided, so it is the one line
        }
        for (int i = 0, checks = ban == null ? decision.size() : 0; i < checks; i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (!deniedOnly || !verdict.allowed()) {
                if (size < MOST_VERDICTS) {
                    add(verdict);
                } else {
                    leftOut++;
                }
            }
        }
        allowed = decision.allowed();
        micros = decision.nowMicros();
        rules = inForce;
        hasValues = isSmall(source);
        if (hasValues) {
            request.set(source);
        } else {
            request.clear(source.domain());
        }
        return leftOut;
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

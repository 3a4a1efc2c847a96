package dev.weir.control.decisions;

import dev.weir.Request;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A decision recorded to be written later, in a reused buffer of the ring. A caller can send two megabytes, so the
 * buffer's size is bounded: of a larger request it keeps the verdicts and not the values.
 */
public final class RecordedDecision {
    static final int MOST_VERDICTS = 32;
    private static final int MOST_ENTRIES = 128;
    private static final int MOST_LETTERS = 4_096;

    final Request request = Request.to("");
    MutableVerdict[] verdicts = new MutableVerdict[0];
    int size;
    boolean allowed;
    boolean hasValues;
    long micros;
    /** When the request arrived, by this server's clock. */
    long askedMicros;
    /** When a shared store decided, by its clock; 0 if none did. */
    long storeMicros;

    boolean degraded;
    /** Whether to write the request, beside its checks. */
    boolean asRequest;

    @Nullable
    String deniedBy;

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
    public int set(Request source, MutableDecision decision, boolean deniedOnly, @Nullable RuleIndex inForce) {
        size = 0;
        asRequest = false;
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

    /**
     * Copies {@code decision} on a request that is to be written as such.
     *
     * @param anyChecks whether to copy checks, too
     * @return the number of checks that did not fit, and of requests
     */
    int setRequest(
            Request source,
            MutableDecision decision,
            boolean anyChecks,
            boolean deniedOnly,
            @Nullable RuleIndex inForce) {
        int leftOut = set(source, decision, deniedOnly, inForce);
        if (!anyChecks) {
            size = 0;
            leftOut = 0;
        }
        asRequest = hasValues;
        askedMicros = decision.askedMicros();
        storeMicros = decision.storeMicros();
        degraded = decision.degraded();
        MutableVerdict binding = decision.allowed() ? null : decision.binding();
        Rule rule = binding == null ? null : binding.rule();
        deniedBy = rule == null ? null : rule.label();
        return hasValues ? leftOut : leftOut + 1;
    }

    /** The request; without its values if they were too many to keep. */
    public Request request() {
        return request;
    }

    /** Whether {@link #request} has the values of the request. */
    public boolean hasValues() {
        return hasValues;
    }

    /** The number of checks that were copied; 1 if a ban decided. */
    public int size() {
        return size;
    }

    /** A check that was copied; there is none if a {@link #ban} decided. */
    public MutableVerdict verdict(int index) {
        return verdicts[index];
    }

    /** Whether the request passed. */
    public boolean allowed() {
        return allowed;
    }

    /** When it was decided, microseconds since the epoch. */
    public long micros() {
        return micros;
    }

    /** The rules that decided; null if they are not known any more. */
    public @Nullable RuleIndex rules() {
        return rules;
    }

    /** The ban that decided, or null. */
    public @Nullable Ban ban() {
        return ban;
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

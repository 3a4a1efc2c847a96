package dev.weir.testing.internal.run;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.testing.internal.policy.Expected;
import dev.weir.testing.internal.policy.PolicyStep.Ask;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of the requests of one step. */
final class StepOutcome {
    private static final byte ANSWERED = 1;
    private static final byte ALLOWED = 2;
    private static final byte DEGRADED = 4;

    private final byte[] answers;
    private final @Nullable String expectedRule;
    /** The first request that another rule than the expected one denied; 0 if none. */
    private int otherRule;

    private String otherRuleName = "";
    /** The first request that the limiter refused to decide; 0 if none. */
    private int refused;

    private String refusal = "";
    private MutableDecision last = new MutableDecision();
    private long lastWaitMicros;
    private List<String> lastHeaders = List.of();

    StepOutcome(Ask step) {
        answers = new byte[step.times()];
        Expected<String> rule = step.expect().rule();
        expectedRule = rule == null ? null : rule.value();
    }

    /** Records the answer to request {@code number}. */
    void answered(int number, MutableDecision decision, long waitMicros) {
        answers[number - 1] =
                (byte) (ANSWERED | (decision.allowed() ? ALLOWED : 0) | (decision.degraded() ? DEGRADED : 0));
        if (expectedRule != null && !decision.allowed() && (otherRule == 0 || number < otherRule)) {
            String denied = ruleOf(decision);
            if (!expectedRule.equals(denied)) {
                otherRule = number;
                otherRuleName = denied;
            }
        }
        if (number == answers.length) {
            last = new MutableDecision();
            last.set(decision);
            lastWaitMicros = waitMicros;
        }
    }

    /** Records that the limiter refused to decide request {@code number}. */
    void refused(int number, String why) {
        if (refused == 0) {
            refused = number;
            refusal = why;
        }
    }

    int refused() {
        return refused;
    }

    String refusal() {
        return refusal;
    }

    /** Sets the headers of the last answer: names and values in turn. */
    void lastHeaders(List<String> headers) {
        lastHeaders = headers;
    }

    /** The rule that speaks in {@code decision}; words if none does. */
    static String ruleOf(MutableDecision decision) {
        if (decision.ban() != null && !decision.allowed()) {
            return "a ban";
        }
        MutableVerdict binding = decision.binding();
        Rule rule = binding == null ? null : binding.rule();
        return rule == null ? "none" : rule.label();
    }

    long allowed() {
        return count(ALLOWED, true);
    }

    long denied() {
        return count(ALLOWED, false);
    }

    long degraded() {
        return count(DEGRADED, true);
    }

    private long count(byte bit, boolean set) {
        long count = 0;
        for (byte each : answers) {
            count += is(each, bit, set) ? 1 : 0;
        }
        return count;
    }

    private static boolean is(byte answer, byte bit, boolean set) {
        return (answer & ANSWERED) != 0 && ((answer & bit) != 0) == set;
    }

    /** The request that was allowed, or denied, after {@code most} others; 0 if there is none. */
    int excess(boolean allowed, long most) {
        return nth(ALLOWED, allowed, most + 1);
    }

    /** The request that was the first, or the first beyond {@code most}, to be decided without its store; else 0. */
    int degradedBeyond(long most) {
        return nth(DEGRADED, true, most + 1);
    }

    private int nth(byte bit, boolean set, long which) {
        long seen = 0;
        for (int i = 0; i < answers.length; i++) {
            if (is(answers[i], bit, set) && ++seen == which) {
                return i + 1;
            }
        }
        return 0;
    }

    int otherRule() {
        return otherRule;
    }

    String otherRuleName() {
        return otherRuleName;
    }

    MutableDecision last() {
        return last;
    }

    long lastWaitMicros() {
        return lastWaitMicros;
    }

    List<String> headers() {
        return lastHeaders;
    }
}

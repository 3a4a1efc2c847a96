package dev.weir.internal.queue;

import dev.weir.Verdict.Reason;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/** Finds the verdict of a decision that lets its request wait, as the {@code over} of its rule says. */
final class WaitingVerdicts {
    private WaitingVerdicts() {}

    /** The verdict of a rule with a queue that asks the request to wait before it proceeds, the longest; null if none does. */
    static @Nullable MutableVerdict shaping(MutableDecision decision) {
        MutableVerdict found = null;
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            if (rule != null && rule.queue() != null && verdict.delayMicros() > 0 && !verdict.shadow()) {
                found = found == null || verdict.delayMicros() > found.delayMicros() ? verdict : found;
            }
        }
        return found;
    }

    /** The denial whose counter a denied request waits for; null if any other rule denies it. */
    static @Nullable MutableVerdict queueing(MutableDecision decision) {
        MutableVerdict found = null;
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (!verdict.allowed() && !verdict.shadow()) {
                Rule rule = verdict.rule();
                if (rule == null || rule.queue() == null || verdict.reason() != Reason.OVER_LIMIT) {
                    return null;
                }
                found = found == null || verdict.retryAfterMicros() > found.retryAfterMicros() ? verdict : found;
            }
        }
        return found;
    }

    /** The rule that delays a denial; null if any other rule denies too. */
    static @Nullable Rule tarpitting(MutableDecision decision) {
        Rule found = null;
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (!verdict.allowed() && !verdict.shadow()) {
                Rule rule = verdict.rule();
                if (rule == null || rule.tarpitMicros() == 0) {
                    return null;
                }
                found = rule;
            }
        }
        return found;
    }

    /** Makes {@code decision} a denial by {@code shaping}, which is one of its verdicts: there is room after its delay. */
    static void deny(MutableDecision decision, MutableVerdict shaping) {
        MutableVerdict by = new MutableVerdict();
        by.set(shaping);
        decision.begin(decision.nowMicros());
        decision.add()
                .set(
                        by.rule(),
                        by.limit(),
                        by.descriptor(),
                        by.hits(),
                        Reason.OVER_LIMIT,
                        0,
                        Math.max(by.resetMicros(), by.delayMicros()),
                        by.delayMicros(),
                        0)
                .counter(by.counter());
        decision.end(false);
    }
}

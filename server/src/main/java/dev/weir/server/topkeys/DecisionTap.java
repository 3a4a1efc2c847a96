package dev.weir.server.topkeys;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.control.decisions.DecisionRing;
import dev.weir.control.decisions.RuleGenerations;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * Puts decisions into rings, on the threads that decide: every denial and, of busy servers, one request in {@value
 * #SAMPLED} that passes.
 *
 * <p><b>Cost.</b> Each thread has a {@link CheckRing} of its own and adds five words for a check. The text of a request
 * is copied for so few that a busy server does not notice, and only to learn the names of callers. A thread never waits:
 * what does not fit in a ring is dropped and counted. Nothing is allocated.
 */
public final class DecisionTap implements LimiterObserver {
    /** One request in at most this many is recorded, of those that pass while there are many. */
    static final int SAMPLED = 16;

    private static final int CHECKS = 4_096;
    private static final int TEXTS = 256;

    private static final class ThreadTap {
        private final CheckRing ring = new CheckRing(CHECKS);
        private int passes;
        private int texts;
        private int denials;
    }

    private final List<ThreadTap> taps = new CopyOnWriteArrayList<>();
    private final FastThreadLocal<ThreadTap> mine = new FastThreadLocal<>() {
        @Override
        protected ThreadTap initialValue() {
            ThreadTap tap = new ThreadTap();
            taps.add(tap);
            return tap;
        }
    };
    private final DecisionRing texts = new DecisionRing(TEXTS);
    private final LongAdder dropped = new LongAdder();
    private volatile RuleGenerations generations = RuleGenerations.NONE;
    /** Masks of counts: those are recorded whose bits in the mask are 0. */
    private volatile int passMask;

    private volatile int passTextMask;
    private volatile int denialTextMask;

    /** Sets the rules that decide from now on; to be called before they do. */
    void rules(RuleIndex next) {
        generations = generations.next(next);
    }

    /** Sets how many are recorded: one in so many of the passes, of those texts, and of the texts of denials. */
    void sample(int passes, int passTexts, int denialTexts) {
        passMask = passes - 1;
        passTextMask = passTexts - 1;
        denialTextMask = denialTexts - 1;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        int checks = decision.size();
        if (decision.allowed()) {
            ThreadTap tap = mine.get();
            int mask = passMask;
            if ((tap.passes++ & mask) != 0 || checks == 0 || request.takesNothing() || request.givesBack()) {
                return;
            }
            record(tap, decision, true, mask + 1);
            if ((tap.texts++ & passTextMask) == 0) {
                recordText(request, decision);
            }
        } else if (!request.takesNothing() && !request.givesBack()) {
            ThreadTap tap = mine.get();
            record(tap, decision, false, 1);
            if ((tap.denials++ & denialTextMask) == 0) {
                recordText(request, decision);
            }
        }
    }

    private void record(ThreadTap tap, MutableDecision decision, boolean allowed, int weight) {
        for (int i = 0, checks = decision.size(); i < checks; i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            Limit limit = verdict.limit();
            boolean denies = !verdict.allowed() && !verdict.shadow();
            if (rule == null || limit == null || verdict.counter() == 0 || denies == allowed) {
                continue; // a check with room in a request that another denied is neither
            }
            long size = limit.size();
            long attempted = size - verdict.remaining() + verdict.debt() + (denies ? verdict.hits() : 0);
            if (!tap.ring.add(rule, verdict.counter(), attempted, size, allowed, weight)) {
                dropped.increment();
            }
        }
    }

    private void recordText(Request request, MutableDecision decision) {
        long position = texts.claim();
        if (position < 0) {
            return; // another request of the same caller will tell its name
        }
        try {
            int unused = texts.at(position).set(request, decision, !decision.allowed(), generations.of(decision));
        } finally {
            texts.publish(position);
        }
    }

    /** Hands all checks to {@code reader}; returns how many there were. For one thread. */
    int drain(CheckRing.Reader reader) {
        int drained = 0;
        for (ThreadTap each : taps) {
            drained += each.ring.drain(reader);
        }
        return drained;
    }

    DecisionRing texts() {
        return texts;
    }

    /** Checks that were dropped because a ring was full, since the start. */
    long dropped() {
        return dropped.sum();
    }
}

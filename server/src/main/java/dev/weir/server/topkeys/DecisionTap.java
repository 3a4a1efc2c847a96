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
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * Puts decisions into rings, on the threads that decide: every denial and, of busy servers, one request in {@value
 * #SAMPLED} that passes, chosen at random.
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
        private final RandomSampler passes;
        private final RandomSampler passTexts;
        private final RandomSampler denialTexts;

        ThreadTap(SplittableRandom seeds) {
            passes = new RandomSampler(seeds.nextLong());
            passTexts = new RandomSampler(seeds.nextLong());
            denialTexts = new RandomSampler(seeds.nextLong());
        }
    }

    private final SplittableRandom seeds;

    private final List<ThreadTap> taps = new CopyOnWriteArrayList<>();
    private final FastThreadLocal<ThreadTap> mine = new FastThreadLocal<>() {
        @Override
        protected ThreadTap initialValue() {
            synchronized (seeds) {
                ThreadTap tap = new ThreadTap(seeds);
                taps.add(tap);
                return tap;
            }
        }
    };
    private final DecisionRing texts = new DecisionRing(TEXTS);
    private final LongAdder dropped = new LongAdder();
    private volatile RuleGenerations generations = RuleGenerations.NONE;
    /** One in so many is recorded. */
    private volatile int passes = 1;

    private volatile int passTexts = 1;
    private volatile int denialTexts = 1;

    /** Creates a tap; callers who do not know {@code seed} cannot know which requests are recorded. */
    DecisionTap(long seed) {
        seeds = new SplittableRandom(seed);
    }

    /** Sets the rules that decide from now on; to be called before they do. */
    void rules(RuleIndex next) {
        generations = generations.next(next);
    }

    /** Sets how many are recorded: one in so many of the passes, of those texts, and of the texts of denials. */
    void sample(int passes, int passTexts, int denialTexts) {
        this.passes = passes;
        this.passTexts = passTexts;
        this.denialTexts = denialTexts;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        int checks = decision.size();
        if (decision.allowed()) {
            ThreadTap tap = mine.get();
            int oneIn = passes;
            if (!tap.passes.chooses(oneIn) || checks == 0 || request.takesNothing() || request.givesBack()) {
                return;
            }
            record(tap, decision, true, oneIn);
            if (tap.passTexts.chooses(passTexts)) {
                recordText(request, decision);
            }
        } else if (!request.takesNothing() && !request.givesBack()) {
            ThreadTap tap = mine.get();
            record(tap, decision, false, 1);
            if (tap.denialTexts.chooses(denialTexts)) {
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

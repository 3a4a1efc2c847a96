package dev.weir.server.metrics;

import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import io.netty.util.concurrent.FastThreadLocal;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions by rule and outcome.
 *
 * <p><b>Cost.</b> Every thread that decides has a {@link ThreadCounts} of its own and adds to it with plain stores; a scrape sums the
 * stripes. A rule finds its slot by its ordinal. The clock is read, and counters are compared, for one decision in
 * {@link ThreadCounts#SAMPLED}.
 *
 * <p><b>Reload.</b> A series is known by domain and label, so that its count goes on where the rule did. Requests in flight
 * during a change may still carry rules of the set before, which is kept for them.
 */
public final class RuleMetrics implements LimiterObserver {
    private static final System.Logger LOG = System.getLogger(RuleMetrics.class.getName());

    private final TimeSource time;
    private final boolean shadow;
    private final SeriesPositions slots = new SeriesPositions(this::total);
    private final List<ThreadCounts> stripes = new CopyOnWriteArrayList<>();
    private final FastThreadLocal<ThreadCounts> stripe = new FastThreadLocal<>() {
        @Override
        protected ThreadCounts initialValue() {
            ThreadCounts mine = new ThreadCounts();
            stripes.add(mine);
            return mine;
        }
    };

    /** Rules of which it was said that they ignore what was agreed with a caller. */
    private final Set<Rule> ignoring = ConcurrentHashMap.newKeySet();

    private final StoreFailureCounts storeFailures = new StoreFailureCounts();
    private volatile SwitchState everything = SwitchState.ON;
    private volatile Generation current = new Generation(List.of(), new int[0], SeriesPositions.CALLERS + 1, null);

    /**
     * Counts nothing so far.
     *
     * @param time the one that the limiter's decisions are timed by
     * @param shadow the whole server only watches
     */
    public RuleMetrics(TimeSource time, boolean shadow) {
        this.time = time;
        this.shadow = shadow;
    }

    /** Makes room for the rules of {@code next}; to be called before they are put in force. */
    public synchronized void rules(RuleIndex next) {
        everything = next.everything();
        ignoring.clear();
        Generation last = current;
        int[] assigned = slots.assign(next.rules());
        current = new Generation(next.rules(), assigned, slots.size(), last.withoutBefore());
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        ThreadCounts mine = stripe.get();
        int checks = decision.size();
        mine.request(
                checks == 0 ? ThreadCounts.UNMATCHED : decision.allowed() ? ThreadCounts.ALLOWED : ThreadCounts.DENIED);
        if (checks == 0) {
            return;
        }
        boolean timed = mine.sample();
        long micros = timed ? time.micros() - decision.askedMicros() : 0;
        Generation generation = current;
        for (int i = 0; i < checks; i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            int slot = rule == null ? SeriesPositions.CALLERS : generation.slot(rule);
            int outcome = verdict.allowed()
                    ? ThreadCounts.ALLOWED
                    : shadow || verdict.shadowed() ? ThreadCounts.SHADOWED : ThreadCounts.DENIED;
            mine.add(slot, outcome);
            if (verdict.degraded()) {
                degraded(mine, slot, verdict, decision.allowed());
            }
            if (timed) {
                mine.time(slot, verdict.allowed(), micros);
                if (rule != null && rule.keyed() && slot != SeriesPositions.OTHERS && verdict.counter() != 0) {
                    mine.votes(generation).vote(slot, verdict.counter());
                }
            }
        }
    }

    private static void degraded(ThreadCounts mine, int slot, MutableVerdict verdict, boolean passed) {
        mine.add(slot, ThreadCounts.DEGRADED);
        Rule rule = verdict.rule();
        if (passed && verdict.allowed() && (rule == null || rule.onFail() == OnFail.ALLOW)) {
            mine.add(slot, ThreadCounts.FAIL_OPEN);
        }
    }

    @Override
    public void keyMissing(Rule rule) {
        stripe.get().add(current.slot(rule), ThreadCounts.MISSING_KEY);
    }

    @Override
    public void agreementIgnored(Rule rule, Limit agreed) {
        stripe.get().add(current.slot(rule), ThreadCounts.OVERRIDE_IGNORED);
        if (ignoring.add(rule)) {
            LOG.log(
                    Level.WARNING,
                    "rule " + rule + ": an override that was agreed with a caller cannot be counted by "
                            + agreed.algorithm().spelling() + " and is ignored: " + Meters.refusal(agreed)
                            + "; ratelimit_override_ignored_total counts how often that happens");
        }
    }

    @Override
    public void storeFailed(StoreFailure failure) {
        storeFailures.failed(failure);
    }

    @Override
    public void gaveBack(int checks) {
        storeFailures.gaveBack(checks);
    }

    @Override
    public void keyNotKept() {
        storeFailures.keyNotKept();
    }

    /** Writes every series. */
    public void write(Exposition out) {
        storeFailures.write(out);
        Generation generation = current;
        new RuleExposition(slots.series(), this::total, this::requests, generation::favourite).write(out);
        SwitchExposition.write(out, everything, slots.series(), generation.bySlot(slots.size()));
    }

    /** What the rules in force that tell callers apart have met, each label once. */
    List<Traffic> traffic() {
        Generation generation = current;
        BitSet told = new BitSet();
        told.set(SeriesPositions.OTHERS);
        List<Traffic> traffic = new ArrayList<>();
        for (Rule each : generation.rules) {
            int slot = generation.slot(each);
            if (each.keyed() && !told.get(slot)) {
                told.set(slot);
                long checks = total(slot, ThreadCounts.ALLOWED)
                        + total(slot, ThreadCounts.DENIED)
                        + total(slot, ThreadCounts.SHADOWED);
                traffic.add(
                        new Traffic(each, checks, total(slot, ThreadCounts.MISSING_KEY), generation.favourite(slot)));
            }
        }
        return traffic;
    }

    /** What a rule has met so far; whoever wants to know of late compares two. */
    record Traffic(Rule rule, long checks, long missing, MajorityCounters.Favourite favourite) {}

    private long total(int slot, int field) {
        long sum = 0;
        for (ThreadCounts each : stripes) {
            sum += each.get(slot, field);
        }
        return sum;
    }

    /** Why a store could not say when one last could not; null if all could so far. */
    public @Nullable StoreFailure lastStoreFailure() {
        return storeFailures.last();
    }

    /** Checks that a failure policy decided, over all rules. */
    public long degraded() {
        long sum = 0;
        for (int slot = 0, size = slots.size(); slot < size; slot++) {
            sum += total(slot, ThreadCounts.DEGRADED);
        }
        return sum;
    }

    private long requests(int outcome) {
        long sum = 0;
        for (ThreadCounts each : stripes) {
            sum += each.requests(outcome);
        }
        return sum;
    }

    /** Which slot each rule of a rule set has, and where their checks went while it was in force. */
    static final class Generation {
        private final List<Rule> rules;
        private final int[] slots;
        private final int size;
        private final @Nullable Generation before;
        private final List<MajorityCounters> votes = new CopyOnWriteArrayList<>();

        private Generation(List<Rule> rules, int[] slots, int size, @Nullable Generation before) {
            this.rules = rules;
            this.slots = slots;
            this.size = size;
            this.before = before;
        }

        /** A rule of each slot, null where there is none; those that share one are not told apart. */
        @SuppressWarnings("NullAway") // an array of what may be null
        private Rule[] bySlot(int most) {
            Rule[] found = new Rule[most];
            for (Rule each : rules) {
                int slot = slots[each.ordinal()];
                if (slot != SeriesPositions.OTHERS) {
                    found[slot] = each;
                }
            }
            return found;
        }

        private Generation withoutBefore() {
            return new Generation(rules, slots, size, null);
        }

        /** For one more thread to vote on. */
        MajorityCounters openVotes() {
            MajorityCounters added = new MajorityCounters(this, size);
            votes.add(added);
            return added;
        }

        MajorityCounters.Favourite favourite(int slot) {
            return MajorityCounters.favourite(votes, slot);
        }

        int slot(Rule rule) {
            int ordinal = rule.ordinal();
            if (ordinal >= 0 && ordinal < slots.length && rules.get(ordinal) == rule) {
                return slots[ordinal];
            }
            return before == null ? SeriesPositions.OTHERS : before.slot(rule);
        }
    }
}

package dev.weir.server.metrics;

import dev.weir.Hold.Settlement;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.WaitResult;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions by rule and outcome.
 *
 * <p><b>Cost.</b> Every thread that decides has a {@link ThreadCounts} of its own and adds to it with plain stores; a
 * scrape sums over the threads. A rule finds its position by its ordinal. The clock is read, and counters are compared,
 * for one decision in {@link ThreadCounts#SAMPLED}.
 *
 * <p><b>Reload.</b> A series is identified by domain and label, so its count continues if the rule stays. Requests in
 * flight during a change may still carry rules of the previous set, whose positions are kept for them.
 */
public final class RuleMetrics implements LimiterObserver {
    private static final System.Logger LOG = System.getLogger(RuleMetrics.class.getName());

    private final TimeSource time;
    private final boolean shadow;
    private final Set<String> sharedStores;
    private final @Nullable HitCounts hitCounts;
    private final SeriesPositions positions = new SeriesPositions(this::total);
    private final List<ThreadCounts> threads = new CopyOnWriteArrayList<>();
    private final FastThreadLocal<ThreadCounts> threadCounts = new FastThreadLocal<>() {
        @Override
        protected ThreadCounts initialValue() {
            ThreadCounts mine = new ThreadCounts();
            threads.add(mine);
            return mine;
        }
    };

    /** Rules for which the log has said that they ignore a caller's override. */
    private final Set<Rule> ignoring = ConcurrentHashMap.newKeySet();

    private final WaitMetrics waits = new WaitMetrics();
    private final DenialExemplars exemplars = new DenialExemplars();
    private final HoldMetrics holds = new HoldMetrics();
    /** Requests that met a ban, by the kind that it had for them. */
    private final LongAdder[] banned =
            Stream.generate(LongAdder::new).limit(BanKind.values().length).toArray(LongAdder[]::new);

    private final StoreFailureCounts storeFailures = new StoreFailureCounts();
    private volatile @Nullable LimiterObserver next;
    private volatile ToDoubleBiFunction<String, String> use = (domain, rule) -> Double.NaN;
    private volatile SwitchState everything = SwitchState.ON;
    private volatile Generation current = new Generation(List.of(), new int[0], SeriesPositions.CALLERS + 1, null);

    /**
     * Creates metrics without counts.
     *
     * @param time the clock of the limiter
     * @param shadow whether the whole server is in shadow mode
     * @param nearLimit the share of a limit above which hits count as near it; null if hits are not counted
     */
    public RuleMetrics(TimeSource time, boolean shadow, @Nullable Double nearLimit) {
        this(time, shadow, nearLimit, Set.of());
    }

    /**
     * Creates metrics as above.
     *
     * @param sharedStores the names of the stores that are shared with other processes
     */
    public RuleMetrics(TimeSource time, boolean shadow, @Nullable Double nearLimit, Set<String> sharedStores) {
        this.sharedStores = Set.copyOf(sharedStores);
        this.time = time;
        this.shadow = shadow;
        this.hitCounts = nearLimit == null ? null : new HitCounts(nearLimit);
    }

    /** Assigns positions to the rules of {@code next}; to be called before they are put in force. */
    public synchronized void rules(RuleIndex next) {
        everything = next.everything();
        ignoring.clear();
        exemplars.clear();
        Generation last = current;
        int[] assigned = positions.assign(next.rules());
        current = new Generation(next.rules(), assigned, positions.size(), last.withoutBefore());
    }

    /** Sets what knows the highest share of its limit that a caller of a rule attempted lately, by domain and label. */
    public void use(ToDoubleBiFunction<String, String> highest) {
        use = highest;
    }

    /** Sets the observer of each decision after it was counted; null for none, which costs nothing. */
    public void then(@Nullable LimiterObserver next) {
        this.next = next;
    }

    /** The observer of each decision after it was counted; null if there is none. */
    public @Nullable LimiterObserver next() {
        return next;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        count(decision);
        LimiterObserver told = next;
        if (told != null) {
            told.decided(request, decision);
        }
    }

    private void count(MutableDecision decision) {
        ThreadCounts mine = threadCounts.get();
        int checks = decision.size();
        mine.request(
                !decision.allowed()
                        ? ThreadCounts.DENIED
                        : checks == 0 ? ThreadCounts.UNMATCHED : ThreadCounts.ALLOWED);
        if (checks == 0 && decision.ban() == null) {
            return;
        }
        boolean timed = mine.sample();
        long micros = timed ? time.micros() - decision.askedMicros() : 0;
        if (timed) {
            mine.time(DecidedBy.of(decision, sharedStores), micros);
        }
        Generation generation = current;
        for (int i = 0; i < checks; i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            int position = rule == null ? SeriesPositions.CALLERS : generation.position(rule);
            int outcome = verdict.allowed()
                    ? ThreadCounts.ALLOWED
                    : shadow || verdict.shadowed() ? ThreadCounts.SHADOWED : ThreadCounts.DENIED;
            mine.add(position, outcome);
            if (verdict.onCredit()) {
                mine.add(position, ThreadCounts.ON_CREDIT);
            }
            if (hitCounts != null) {
                hitCounts.add(mine, position, verdict);
            }
            if (verdict.degraded()) {
                degraded(mine, position, verdict, decision.allowed());
            }
            if (timed) {
                mine.time(position, verdict.allowed(), micros);
                if (rule != null && rule.keyed() && position != SeriesPositions.OTHERS && verdict.counter() != 0) {
                    mine.majorities(generation).add(position, verdict.counter());
                }
            }
        }
    }

    private static void degraded(ThreadCounts mine, int position, MutableVerdict verdict, boolean passed) {
        mine.add(position, ThreadCounts.DEGRADED);
        Rule rule = verdict.rule();
        if (passed && verdict.allowed() && (rule == null || rule.onFail() == OnFail.ALLOW)) {
            mine.add(position, ThreadCounts.FAIL_OPEN);
        }
    }

    @Override
    public void reserved(boolean held) {
        holds.reserved(held);
    }

    @Override
    public void settled(Settlement result, boolean debt) {
        holds.settled(result, debt);
    }

    @Override
    public void banned(Ban ban, boolean enforced) {
        banned[enforced ? ban.kind().precedence() : BanKind.WATCH.precedence()].increment();
    }

    @Override
    public void keyMissing(Rule rule) {
        threadCounts.get().add(current.position(rule), ThreadCounts.MISSING_KEY);
    }

    @Override
    public void agreementIgnored(Rule rule, Limit agreed) {
        threadCounts.get().add(current.position(rule), ThreadCounts.OVERRIDE_IGNORED);
        if (ignoring.add(rule)) {
            LOG.log(
                    Level.WARNING,
                    "rule " + rule + ": the override of a caller cannot be counted by "
                            + agreed.algorithm().text() + " and is ignored: " + Meters.refusal(agreed)
                            + "; ratelimit_override_ignored_total counts such requests");
        }
    }

    @Override
    public void waited(Rule rule, WaitResult result, long micros) {
        waits.add(result, micros);
    }

    /** Notes that a request with the header {@code traceparent} was decided; only denials count. */
    public void traced(CharSequence traceparent, MutableDecision decision) {
        if (decision.allowed()) {
            return;
        }
        Generation generation = current;
        for (int i = 0, checks = decision.size(); i < checks; i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            if (rule != null && !verdict.allowed() && !shadow && !verdict.shadowed()) {
                exemplars.denied(generation.position(rule), traceparent, System.currentTimeMillis());
            }
        }
    }

    /** The counts of holds. */
    public HoldMetrics holds() {
        return holds;
    }

    /** The counts of requests that waited. */
    public WaitMetrics waits() {
        return waits;
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
        out.metric(
                "ratelimit_banned_total",
                "counter",
                "Requests that met a ban: denied (ban), passed without a charge (shadow), only counted (watch).");
        for (BanKind each : List.of(BanKind.BAN, BanKind.SHADOW, BanKind.WATCH)) {
            out.sample(
                    "ratelimit_banned_total", Exposition.labels("kind", each.text()), banned[each.precedence()].sum());
        }
        Generation generation = current;
        List<RuleSeries> series = positions.exposed();
        new RuleExposition(series, this::requests, generation::busiest, exemplars).write(out);
        writeDecisionTimes(out);
        waits.write(out);
        Rule[] byPosition = generation.byPosition(positions.size());
        SwitchExposition.write(out, everything, series, byPosition);
        UseExposition.write(out, series, byPosition, use);
    }

    private void writeDecisionTimes(Exposition out) {
        String name = "ratelimit_decision_duration_seconds";
        out.metric(
                name,
                "histogram",
                "Time from reading a request to its decision, by where it was made; one request in "
                        + ThreadCounts.SAMPLED + " of each thread is timed.");
        for (DecidedBy each : DecidedBy.values()) {
            long[] counts = new long[LatencyBuckets.COUNT + 1];
            addTimes(each, counts);
            long sum = counts[LatencyBuckets.COUNT];
            out.histogram(name, Exposition.labels("by", each.label()), counts, sum);
        }
    }

    /** The same numbers without text, for exporters. */
    List<MetricReading> readings() {
        return RuleReadings.of(positions.exposed(), this::requests, this::addTimes);
    }

    /** Where {@code decision} was made: one of the values of the label {@code by}. */
    public String place(MutableDecision decision) {
        return DecidedBy.of(decision, sharedStores).label();
    }

    private void addTimes(DecidedBy by, long[] into) {
        for (ThreadCounts each : threads) {
            for (int bucket = 0; bucket < into.length; bucket++) {
                into[bucket] += each.whole(by, bucket);
            }
        }
    }

    /** The counts of every rule. */
    public List<RuleSeries> series() {
        return positions.rules();
    }

    /** Requests that passed, with those that no rule matched. */
    public long passedRequests() {
        return requests(ThreadCounts.ALLOWED) + requests(ThreadCounts.UNMATCHED);
    }

    /** Requests that were denied. */
    public long deniedRequests() {
        return requests(ThreadCounts.DENIED);
    }

    /** The timed requests so far, by bucket of their latency. */
    public long[] requestLatencies() {
        long[] counts = new long[LatencyBuckets.COUNT];
        for (DecidedBy each : DecidedBy.values()) {
            addTimes(each, counts);
        }
        return counts;
    }

    /** The share of its checks that the busiest counter of a rule has at least, among those sampled lately. */
    public double busiestShare(RuleSeries of) {
        MajorityCounters.BusiestCounter busiest = current.busiest(of.position());
        return busiest.checks() < IneffectiveKeyWarnings.MIN_REQUESTS ? 0 : busiest.share();
    }

    /** Writes the series of the reference service; only if hits are counted. */
    void writeReference(Exposition out) {
        new ReferenceExposition(positions.exposed(), this::requests).write(out);
    }

    /** The traffic of the rules in force that have a key, each label once. */
    List<Traffic> traffic() {
        Generation generation = current;
        BitSet added = new BitSet();
        added.set(SeriesPositions.OTHERS);
        List<Traffic> traffic = new ArrayList<>();
        for (Rule each : generation.rules) {
            int position = generation.position(each);
            if (each.keyed() && !added.get(position)) {
                added.set(position);
                long checks = total(position, ThreadCounts.ALLOWED)
                        + total(position, ThreadCounts.DENIED)
                        + total(position, ThreadCounts.SHADOWED);
                traffic.add(new Traffic(
                        each, checks, total(position, ThreadCounts.MISSING_KEY), generation.busiest(position)));
            }
        }
        return traffic;
    }

    /** The counts of a rule so far; the difference of two is the traffic in between. */
    record Traffic(Rule rule, long checks, long missing, MajorityCounters.BusiestCounter busiest) {}

    private long total(int position, int field) {
        long sum = 0;
        for (ThreadCounts each : threads) {
            sum += each.get(position, field);
        }
        return sum;
    }

    /** The most recent failure of a store; null if there was none. */
    public @Nullable StoreFailure lastStoreFailure() {
        return storeFailures.last();
    }

    /** The number of checks that {@code on_fail} decided, over all rules. */
    public long degraded() {
        long sum = 0;
        for (int position = 0, size = positions.size(); position < size; position++) {
            sum += total(position, ThreadCounts.DEGRADED);
        }
        return sum;
    }

    private long requests(int outcome) {
        long sum = 0;
        for (ThreadCounts each : threads) {
            sum += each.requests(outcome);
        }
        return sum;
    }

    /** The position of each rule of a rule set, and the counters that its checks used while it was in force. */
    static final class Generation {
        private final List<Rule> rules;
        private final int[] positions;
        private final int size;
        private final @Nullable Generation before;
        private final List<MajorityCounters> majorities = new CopyOnWriteArrayList<>();

        private Generation(List<Rule> rules, int[] positions, int size, @Nullable Generation before) {
            this.rules = rules;
            this.positions = positions;
            this.size = size;
            this.before = before;
        }

        /** The rule of each position, or null. Rules that share a position are left out. */
        @SuppressWarnings("NullAway") // the elements may be null
        private Rule[] byPosition(int most) {
            Rule[] found = new Rule[most];
            for (Rule each : rules) {
                int position = positions[each.ordinal()];
                if (position != SeriesPositions.OTHERS) {
                    found[position] = each;
                }
            }
            return found;
        }

        private Generation withoutBefore() {
            return new Generation(rules, positions, size, null);
        }

        /** Adds counts for one more thread. */
        MajorityCounters addThread() {
            MajorityCounters counters = new MajorityCounters(this, size);
            majorities.add(counters);
            return counters;
        }

        MajorityCounters.BusiestCounter busiest(int position) {
            return MajorityCounters.busiest(majorities, position);
        }

        int position(Rule rule) {
            int ordinal = rule.ordinal();
            if (ordinal >= 0 && ordinal < positions.length && rules.get(ordinal) == rule) {
                return positions[ordinal];
            }
            return before == null ? SeriesPositions.OTHERS : before.position(rule);
        }
    }
}

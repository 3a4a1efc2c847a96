package dev.weir.server.topkeys;

import dev.weir.control.decisions.RecordedDecision;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.runtime.DaemonThreads;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The heaviest callers of every rule, of the last minute and the last hour, on this node. One thread empties the rings of
 * the {@link DecisionTap}; questions are answered under the same lock.
 *
 * <p><b>Memory.</b> A rule with few callers takes some kilobytes, one with many about 50 kB with the names. Above the
 * budget, the rules that were idle for longest are forgotten, and that is counted.
 */
public final class TopKeys implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TopKeys.class.getName());
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long HOUSEKEEPING_MILLIS = 1_000;
    private static final int CLOSING_MILLIS = 1_000;

    /** Above this many passes a second, one in so many is recorded, up to {@link DecisionTap#SAMPLED}. */
    private static final double MANY_PASSES = 20_000;
    /** The texts that are copied a second, about. */
    private static final double TEXTS_PER_SECOND = 1_000;

    private static final int FEWEST_TEXTS = 1_024;
    /** One check in so many that was dropped is worth a word; a sudden burst may fill the rings once. */
    private static final int MANY_DROPPED = 20;

    private record Name(String domain, String rule) {}

    private final DecisionTap tap;
    private final LongSupplier millis;
    private final long seed;
    private final long budget;
    private final Map<Name, RuleKeys> rules = new HashMap<>();
    private final IdentityHashMap<Rule, RuleKeys> byRule = new IdentityHashMap<>();
    private final LastDenials denials = new LastDenials();
    private final Thread thread = DaemonThreads.create("weir-top-keys", this::run);
    private volatile boolean rulesChanged;
    private volatile boolean closed;
    private long now;
    private long housekept;
    private long passes;
    private long denied;
    private long seenChecks;
    private long seenAtMinute;
    private long droppedAtMinute;
    private long minuteStart;
    private boolean droppedMany;
    private long evicted;
    private long bytes;

    /** Creates it; {@code budget} is in bytes. */
    public TopKeys(long budget) {
        this(budget, System::currentTimeMillis, new SecureRandom().nextLong());
    }

    /** As above, with another clock and seed. It counts nothing by itself without a thread until {@link #start}. */
    public TopKeys(long budget, LongSupplier millis, long seed) {
        this.budget = budget;
        this.millis = millis;
        this.seed = seed;
        this.tap = new DecisionTap(seed);
        this.now = millis.getAsLong();
        this.housekept = now;
        this.minuteStart = now;
    }

    /** The observer to be told of decisions. */
    public DecisionTap tap() {
        return tap;
    }

    /** Sets the rules that decide from now on; to be called before they do. */
    public void rules(RuleIndex next) {
        tap.rules(next);
        rulesChanged = true;
    }

    /** Starts the thread that counts. */
    public TopKeys start() {
        thread.start();
        return this;
    }

    private void run() {
        while (!closed) {
            try {
                drain();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "decisions could not be counted by caller; this is tried again", e);
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    /** Counts what is in the rings; the thread calls it all the time. */
    public synchronized void drain() {
        now = Math.max(now, millis.getAsLong());
        if (rulesChanged) {
            rulesChanged = false;
            byRule.clear();
        }
        int checks = tap.drain(this::count);
        seenChecks += checks;
        RecordedDecision text = tap.texts().peek();
        while (text != null) {
            try {
                learn(text);
            } finally {
                tap.texts().release();
            }
            text = tap.texts().peek();
        }
        if (now - housekept >= HOUSEKEEPING_MILLIS || checks > MANY_PASSES / 100) {
            sample();
        }
        if (now - housekept >= HOUSEKEEPING_MILLIS) {
            keepHouse();
        }
    }

    private void count(Rule rule, long counter, long attempted, long size, boolean allowed, int weight) {
        of(rule).add(counter, attempted, size, allowed, weight, now);
        if (allowed) {
            passes += weight;
        } else {
            denied += weight;
        }
    }

    private RuleKeys of(Rule rule) {
        RuleKeys known = byRule.get(rule);
        if (known == null) {
            known = rules.computeIfAbsent(
                    new Name(rule.domain(), rule.label()), name -> new RuleKeys(name.domain, name.rule, seed));
            byRule.put(rule, known);
        }
        return known;
    }

    /** Learns the names of callers, and keeps denials. */
    private void learn(RecordedDecision text) {
        RuleIndex index = text.rules();
        Ban ban = text.ban();
        if (ban != null) {
            if (!text.allowed()) {
                denials.add(Denial.of(text, ban));
            }
            return;
        }
        for (int i = 0; i < text.size(); i++) {
            MutableVerdict verdict = text.verdict(i);
            Rule rule = verdict.rule();
            RuleKeys keys = rule == null ? null : byRule.get(rule);
            boolean over = !verdict.allowed();
            boolean unnamed = keys != null && keys.lacksName(verdict.counter());
            if (over || unnamed) {
                NamedKey name = index == null || !text.hasValues() || verdict.counter() == 0
                        ? null
                        : NamedKey.of(index, text.request(), verdict);
                if (unnamed && name != null && keys != null) {
                    keys.name(verdict.counter(), name);
                }
                if (over) {
                    denials.add(Denial.of(text, verdict, name));
                }
            }
        }
    }

    /** Chooses how many of the next decisions are recorded. */
    private void sample() {
        double seconds = Math.max(0.02, (now - housekept) / 1_000.0);
        int one = oneIn(passes / seconds, MANY_PASSES, DecisionTap.SAMPLED);
        tap.sample(
                one,
                oneIn(passes / seconds / one, TEXTS_PER_SECOND, FEWEST_TEXTS),
                oneIn(denied / seconds, TEXTS_PER_SECOND, FEWEST_TEXTS));
    }

    /** The power of two, up to {@code most}, that leaves no more than {@code wanted} of so many. */
    private static int oneIn(double perSecond, double wanted, int most) {
        int one = 1;
        while (one < most && perSecond / one > wanted) {
            one *= 2;
        }
        return one;
    }

    private void keepHouse() {
        housekept = now;
        passes = 0;
        denied = 0;
        if (now - minuteStart >= RuleKeys.MINUTE) {
            long dropped = tap.dropped();
            droppedMany = dropped - droppedAtMinute > (seenChecks - seenAtMinute) / MANY_DROPPED;
            droppedAtMinute = dropped;
            seenAtMinute = seenChecks;
            minuteStart = now;
        }
        long sum = 0;
        for (RuleKeys each : rules.values()) {
            each.advance(now);
            sum += each.bytes();
        }
        rules.values().removeIf(each -> each.isIdle(now));
        if (sum > budget) {
            List<RuleKeys> byIdleness = new ArrayList<>(rules.values());
            byIdleness.sort(Comparator.comparingLong(RuleKeys::lastMillis).thenComparingInt(RuleKeys::bytes));
            for (RuleKeys each : byIdleness) {
                if (sum <= budget) {
                    break;
                }
                sum -= each.bytes();
                evicted++;
                rules.remove(new Name(each.domain, each.rule));
            }
            byRule.clear();
        }
        bytes = sum;
    }

    /** The memory that callers take, about. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Says what is missing, for people; empty if nothing is. */
    public synchronized List<String> dropped() {
        List<String> sentences = new ArrayList<>();
        if (droppedMany) {
            sentences.add("More decisions came in the last minute than could be counted by caller;"
                    + " counts of callers are too low.");
        }
        if (evicted > 0) {
            sentences.add("The callers of " + evicted + " idle rules were forgotten since the start, to stay within "
                    + "top_keys_memory.");
        }
        return sentences;
    }

    /**
     * The heaviest callers, most first.
     *
     * @param domain null for all domains
     * @param rule null for all rules
     */
    public synchronized List<TopKey> top(
            boolean byDenied, boolean hour, @Nullable String domain, @Nullable String rule, int most) {
        return top((each, least, into) -> each.collect(byDenied, hour, least, now(), into), domain, rule, most);
    }

    /** The callers nearest to their limit, as {@link #nearest(List, int)} chooses them. */
    public synchronized List<TopKey> nearest(@Nullable String domain, @Nullable String rule, int most) {
        List<TopKey> found = new ArrayList<>();
        for (RuleKeys each : chosen(domain, rule)) {
            each.collectNearest(now(), found);
        }
        return nearest(found, most);
    }

    /** Chooses callers that were seen more than once before others, and sorts the chosen ones, nearest first. */
    public static List<TopKey> nearest(List<TopKey> from, int most) {
        return from.stream()
                .sorted(Comparator.comparing((TopKey each) -> each.count() <= 1).thenComparing(NEAREST_FIRST))
                .limit(most)
                .sorted(NEAREST_FIRST)
                .toList();
    }

    private interface Collecting {
        void from(RuleKeys keys, double least, List<TopKey> into);
    }

    private List<TopKey> top(Collecting collecting, @Nullable String domain, @Nullable String rule, int most) {
        List<TopKey> found = new ArrayList<>();
        double least = 0;
        for (RuleKeys each : chosen(domain, rule)) {
            collecting.from(each, least, found);
            if (found.size() >= 4 * most) {
                found.sort(BY_COUNT);
                found.subList(most, found.size()).clear();
                least = found.get(most - 1).count();
            }
        }
        found.sort(BY_COUNT);
        return List.copyOf(found.subList(0, Math.min(most, found.size())));
    }

    /** The heaviest first. */
    public static final Comparator<TopKey> BY_COUNT = Comparator.comparingDouble(TopKey::count)
            .reversed()
            .thenComparing(TopKey::domain)
            .thenComparing(TopKey::rule)
            .thenComparing(TopKey::bucket);

    private static final Comparator<TopKey> NEAREST_FIRST = Comparator.comparingDouble(TopKey::utilisation)
            .reversed()
            .thenComparing(TopKey::domain)
            .thenComparing(TopKey::rule)
            .thenComparing(TopKey::bucket);

    private List<RuleKeys> chosen(@Nullable String domain, @Nullable String rule) {
        List<RuleKeys> chosen = new ArrayList<>();
        for (RuleKeys each : rules.values()) {
            if ((domain == null || each.domain.equals(domain)) && (rule == null || each.rule.equals(rule))) {
                chosen.add(each);
            }
        }
        return chosen;
    }

    private long now() {
        now = Math.max(now, millis.getAsLong());
        return now;
    }

    /** The sum over all callers in the window. */
    public synchronized double total(boolean byDenied, boolean hour, @Nullable String domain, @Nullable String rule) {
        double sum = 0;
        for (RuleKeys each : chosen(domain, rule)) {
            sum += each.total(byDenied, hour, now());
        }
        return sum;
    }

    /** The highest share of a rule's limit that a caller has attempted lately; NaN if there was none. */
    public synchronized double highestUse(String domain, String rule) {
        RuleKeys keys = rules.get(new Name(domain, rule));
        return keys == null ? Double.NaN : keys.highestUse(now());
    }

    /** Since when a counter has been denied, milliseconds since the epoch; 0 if it is not, or if that is not known. */
    public synchronized long deniedSince(String domain, String rule, String bucket) {
        RuleKeys keys = rules.get(new Name(domain, rule));
        return keys == null ? 0 : keys.deniedSince(bucket, now());
    }

    /** The last denials that are {@code wanted}, newest first. */
    public synchronized List<Denial> denials(Predicate<Denial> wanted, int most) {
        return denials.last(wanted, most);
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (thread.isAlive()) {
                thread.join(CLOSING_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.weir.server.history;

import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.server.history.RuleHistory.Counts;
import dev.weir.server.metrics.LatencyBuckets;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.RuleSeries;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The history of this server: for 15 minutes by the second, of the total and of the {@value #SECOND_RULES} busiest rules;
 * for 6 hours by ten seconds, of rules with traffic; and with a data folder for 14 days by the minute, in files.
 *
 * <p><b>Memory.</b> Points are kept in chunks, and only where there was traffic. Above the budget, the rule with the
 * oldest traffic loses its history in memory, and that is said.
 *
 * <p><b>Gaps.</b> A second in which this server did not run has no point. If the clock of the sampling is late, what was
 * counted is spread over the seconds that it missed.
 */
public final class History implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(History.class.getName());

    static final int SECOND_POINTS = 900;
    static final int TEN_SECOND_POINTS = 2_160;
    static final int MINUTE_POINTS = 14 * 24 * 60;
    static final int SECOND_RULES = 200;
    private static final int TEN = 10;
    private static final int MINUTE = 60;
    /** A longer pause is one in which this server did not run. */
    private static final int LONGEST_SPREAD = 5;

    private static final int CLOSING_SECONDS = 2;

    /** The resolutions that can be asked for. */
    public enum Range {
        /** By the second. */
        QUARTER_HOUR("15m"),
        /** By ten seconds. */
        SIX_HOURS("6h"),
        /** By the minute. */
        FORTNIGHT("14d");

        private final String text;

        Range(String text) {
            this.text = text;
        }

        /** As the API writes it. */
        public String text() {
            return text;
        }
    }

    private record Name(String domain, String rule) {}

    private final RuleMetrics metrics;
    private final LongSupplier shed;
    private final LongSupplier millis;
    private final long budget;
    private final @Nullable HistoryFiles files;
    private final RuleHistory total = new RuleHistory("", "");
    private final Map<Name, RuleHistory> rules = new LinkedHashMap<>();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-history"));
    /** Which of the last seconds and ten seconds this server has recorded, by step modulo the size. */
    private final BitSet seconds = new BitSet(2 * SECOND_POINTS);

    private final BitSet tens = new BitSet(2 * TEN_SECOND_POINTS);
    private final long started;
    /** The last second that was recorded. */
    private long lastSecond;

    /** The latencies of all requests so far, after each of the last seconds. */
    private final Deque<long[]> latencies = new ArrayDeque<>();

    private int forgotten;
    private long bytes;

    /**
     * Creates a history that has recorded nothing.
     *
     * @param shed requests refused because of overload, since the start
     * @param budget of memory, in bytes
     * @param files keep minutes; null if there is no data folder
     */
    public History(RuleMetrics metrics, LongSupplier shed, long budget, @Nullable HistoryFiles files) {
        this(metrics, shed, budget, files, System::currentTimeMillis);
    }

    /** As above, with another clock. */
    History(RuleMetrics metrics, LongSupplier shed, long budget, @Nullable HistoryFiles files, LongSupplier millis) {
        this.metrics = metrics;
        this.shed = shed;
        this.budget = budget;
        this.files = files;
        this.millis = millis;
        this.started = second();
        this.lastSecond = started - 1;
        total.bySecond = new PointRing(SECOND_POINTS);
        if (files != null) {
            files.started(started);
        }
    }

    private long second() {
        return Math.floorDiv(millis.getAsLong(), 1_000L);
    }

    /** Starts to record, at the beginning of each second. */
    public History start() {
        long untilNext = 1_000 - Math.floorMod(millis.getAsLong(), 1_000L);
        var unused = timer.scheduleAtFixedRate(this::tryRecord, untilNext, 1_000, TimeUnit.MILLISECONDS);
        return this;
    }

    private void tryRecord() {
        try {
            record();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "the history of a second could not be recorded", e);
        }
    }

    /** When this server started, seconds since the epoch. */
    public long started() {
        return started;
    }

    /** Records the second that has ended. */
    synchronized void record() {
        long ended = second() - 1;
        long passed = ended - lastSecond;
        if (passed <= 0) {
            return; // the clock was set back, or this was called twice
        }
        int spread = (int) Math.min(passed, LONGEST_SPREAD);
        for (long gap = lastSecond + 1; gap <= ended - spread; gap++) {
            seconds.clear((int) Math.floorMod(gap, 2L * SECOND_POINTS));
            if (gap - lastSecond > 2L * SECOND_POINTS) {
                break; // all are cleared
            }
        }
        long first = ended - spread + 1;
        for (long second = first; second <= ended; second++) {
            seconds.set((int) Math.floorMod(second, 2L * SECOND_POINTS));
        }
        sampleTotal(first, spread);
        sampleRules(first, spread);
        long before = lastSecond;
        lastSecond = ended;
        if (Math.floorDiv(before + 1, TEN) != Math.floorDiv(ended + 1, TEN)) {
            closeTen(Math.floorDiv(ended + 1, TEN) - 1, Math.floorDiv(before + 1, TEN));
        }
        if (Math.floorDiv(before + 1, MINUTE) != Math.floorDiv(ended + 1, MINUTE)) {
            closeMinute((Math.floorDiv(ended + 1, MINUTE) - 1) * MINUTE);
        }
    }

    private void sampleTotal(long first, int spread) {
        Counts now = new Counts();
        now.counts[0] = metrics.passedRequests();
        now.counts[1] = metrics.deniedRequests();
        for (RuleSeries each : metrics.series()) {
            now.counts[2] += each.shadowed();
            now.counts[3] += each.degraded();
        }
        now.counts[4] = shed.getAsLong();
        long[] timed = metrics.requestLatencies();
        System.arraycopy(timed, 0, now.latencies, 0, now.latencies.length);
        latencies.addLast(timed);
        if (latencies.size() > TEN + 1) {
            latencies.removeFirst();
        }
        add(total, now, first, spread);
    }

    private void sampleRules(long first, int spread) {
        Counts now = new Counts();
        for (RuleSeries each : metrics.series()) {
            now.clear();
            now.counts[0] = each.allowed();
            now.counts[1] = each.denied();
            now.counts[2] = each.shadowed();
            now.counts[3] = each.degraded();
            RuleHistory known = rules.get(new Name(each.domain(), each.rule()));
            if (known == null) {
                if (now.traffic() == 0) {
                    continue;
                }
                known = new RuleHistory(each.domain(), each.rule());
                known.bySecond = secondRules() < SECOND_RULES ? new PointRing(SECOND_POINTS) : null;
                rules.put(new Name(each.domain(), each.rule()), known);
            }
            if (hasChanged(known.last, now)) {
                each.addLatencies(now.latencies);
                add(known, now, first, spread);
            }
        }
    }

    /** Whether checks were counted; a rule that was removed and added again begins at zero. */
    private static boolean hasChanged(Counts last, Counts now) {
        boolean changed = false;
        for (int i = 0; i < last.counts.length; i++) {
            if (now.counts[i] < last.counts[i]) {
                last.clear();
            }
            changed |= now.counts[i] != last.counts[i];
        }
        return changed;
    }

    private long secondRules() {
        return rules.values().stream().filter(each -> each.bySecond != null).count();
    }

    private static void add(RuleHistory to, Counts now, long first, int spread) {
        Counts added = new Counts();
        added.setDifference(now, to.last);
        to.tenSeconds.add(added);
        to.minute.add(added);
        PointRing bySecond = to.bySecond;
        if (bySecond == null) {
            return;
        }
        int[] point = added.point();
        for (int i = 0; i < spread; i++) {
            int[] share = point.clone();
            for (int column = 0; column < added.counts.length; column++) {
                share[column] = point[column] / spread + (i < point[column] % spread ? 1 : 0);
            }
            bySecond.set(first + i, share);
        }
    }

    private void closeTen(long step, long firstStep) {
        for (long gap = Math.max(firstStep, step - 2L * TEN_SECOND_POINTS); gap < step; gap++) {
            tens.clear((int) Math.floorMod(gap, 2L * TEN_SECOND_POINTS));
        }
        tens.set((int) Math.floorMod(step, 2L * TEN_SECOND_POINTS));
        total.byTenSeconds.set(step, total.tenSeconds.point());
        total.tenSeconds.clear();
        List<RuleHistory> busy = new ArrayList<>();
        for (RuleHistory each : rules.values()) {
            if (each.tenSeconds.traffic() > 0) {
                each.byTenSeconds.set(step, each.tenSeconds.point());
                busy.add(each);
            }
            each.byTenSeconds.forgetBefore(step - TEN_SECOND_POINTS);
        }
        keepBusiest();
        busy.forEach(each -> each.tenSeconds.clear());
        rules.values()
                .removeIf(each -> step - each.byTenSeconds.last() > TEN_SECOND_POINTS
                        && each.minute.traffic() == 0
                        && each.byTenSeconds.last() != Long.MIN_VALUE);
        stayWithinBudget();
    }

    /** Gives history by the second to the busiest rules; one that has it keeps it unless another is twice as busy. */
    private void keepBusiest() {
        if (rules.size() <= SECOND_RULES) {
            rules.values().stream()
                    .filter(each -> each.bySecond == null)
                    .forEach(each -> each.bySecond = new PointRing(SECOND_POINTS));
            return;
        }
        List<RuleHistory> all = new ArrayList<>(rules.values());
        all.sort(Comparator.comparingLong(
                        (RuleHistory each) -> each.tenSeconds.traffic() * (each.bySecond == null ? 1 : 2))
                .reversed());
        for (int i = 0; i < all.size(); i++) {
            RuleHistory each = all.get(i);
            boolean kept = i < SECOND_RULES;
            if (kept && each.bySecond == null && each.tenSeconds.traffic() > 0) {
                each.bySecond = new PointRing(SECOND_POINTS);
            } else if (!kept) {
                each.bySecond = null;
            }
        }
    }

    private void stayWithinBudget() {
        long sum = total.bytes();
        for (RuleHistory each : rules.values()) {
            sum += each.bytes();
        }
        if (sum > budget) {
            List<RuleHistory> oldest = new ArrayList<>(rules.values());
            oldest.sort(Comparator.comparingLong((RuleHistory each) -> each.byTenSeconds.last())
                    .thenComparingLong(each -> each.minute.traffic()));
            for (RuleHistory each : oldest) {
                if (sum <= budget) {
                    break;
                }
                sum -= each.bytes();
                forgotten++;
                rules.remove(new Name(each.domain, each.rule));
            }
        }
        bytes = sum;
    }

    private void closeMinute(long start) {
        if (files != null) {
            List<RuleHistory> busy = new ArrayList<>();
            rules.values().stream().filter(each -> each.minute.traffic() > 0).forEach(busy::add);
            files.write(start, total, busy);
        }
        total.minute.clear();
        rules.values().forEach(each -> each.minute.clear());
    }

    /** The memory that this takes, about. */
    public synchronized long bytes() {
        return bytes;
    }

    /**
     * The history of the total, or of one rule; null if there is none of that rule.
     *
     * @param since leaves out points that begin before, seconds since the epoch
     */
    public @Nullable HistorySeries read(Range range, @Nullable String domain, @Nullable String rule, long since) {
        if (range == Range.FORTNIGHT && files != null) {
            return files.read(domain, rule, since, second());
        }
        return inMemory(range, domain, rule, since);
    }

    private synchronized @Nullable HistorySeries inMemory(
            Range range, @Nullable String domain, @Nullable String rule, long since) {
        RuleHistory of = domain == null || rule == null ? total : rules.get(new Name(domain, rule));
        return of == null ? null : series(range, of, since);
    }

    private HistorySeries series(Range range, RuleHistory of, long since) {
        List<String> dropped = new ArrayList<>();
        if (range == Range.FORTNIGHT) {
            dropped.add("Without a data folder (--data), history goes back six hours and to the last start.");
        }
        PointRing bySecond = range == Range.QUARTER_HOUR ? of.bySecond : null;
        if (range == Range.QUARTER_HOUR && bySecond == null) {
            dropped.add(
                    "History by the second is kept of the " + SECOND_RULES + " busiest rules; this is by ten seconds.");
        }
        if (forgotten > 0) {
            dropped.add("The history of " + forgotten
                    + " rules was forgotten in memory since the start, to stay within history_memory.");
        }
        int step = bySecond == null ? TEN : 1;
        int most = range == Range.QUARTER_HOUR ? SECOND_POINTS / step : TEN_SECOND_POINTS;
        long end = Math.floorDiv(lastSecond + 1, step); // exclusive
        long first = Math.max(end - most, Math.floorDiv(Math.max(since, 0) + step - 1, step));
        BitSet recorded = step == 1 ? seconds : tens;
        int modulus = 2 * (step == 1 ? SECOND_POINTS : TEN_SECOND_POINTS);
        List<int @Nullable []> points = new ArrayList<>();
        for (long at = first; at < end; at++) {
            boolean ran = at >= Math.floorDiv(started, step) && recorded.get((int) Math.floorMod(at, (long) modulus));
            points.add(!ran ? null : bySecond == null ? of.byTenSeconds.get(at) : bySecond.get(at));
        }
        List<Long> restarts = started >= first * step ? List.of(started) : List.of();
        return new HistorySeries(first * step, step, Collections.unmodifiableList(points), restarts, dropped);
    }

    /** The history of a rule that has had no traffic: zeros while this server ran. */
    public synchronized HistorySeries idle(Range range, long since) {
        RuleHistory nothing = new RuleHistory("", "");
        nothing.bySecond = new PointRing(SECOND_POINTS);
        return series(range == Range.FORTNIGHT ? Range.SIX_HOURS : range, nothing, since);
    }

    /** The sums of the last whole seconds, at most 15 minutes, by {@link HistoryColumn} without the latencies. */
    public synchronized long[] lately(@Nullable String domain, @Nullable String rule, int forSeconds) {
        RuleHistory of = domain == null || rule == null ? total : rules.get(new Name(domain, rule));
        long[] sums = new long[HistoryColumn.COUNTED];
        if (of == null) {
            return sums;
        }
        sum(of, forSeconds, sums);
        return sums;
    }

    private void sum(RuleHistory of, int forSeconds, long[] sums) {
        PointRing bySecond = forSeconds > SECOND_POINTS ? null : of.bySecond;
        PointRing ring = bySecond == null ? of.byTenSeconds : bySecond;
        int step = bySecond == null ? TEN : 1;
        long end = Math.floorDiv(lastSecond + 1, step);
        long first = end - Math.max(1, forSeconds / step);
        for (long at = first; at < end && at <= ring.last(); at++) {
            ring.addTo(sums, at);
        }
    }

    /** Takes the sums of a rule; the array is used again for the next rule. */
    public interface RuleSums {
        /** Takes the sums of one rule. */
        void rule(String domain, String rule, long[] sums);
    }

    /** Tells {@link #lately} of every rule that has a history. */
    public synchronized void eachLately(int forSeconds, RuleSums reader) {
        long[] sums = new long[HistoryColumn.COUNTED];
        for (RuleHistory each : rules.values()) {
            Arrays.fill(sums, 0);
            sum(each, forSeconds, sums);
            reader.rule(each.domain, each.rule, sums);
        }
    }

    /** A quantile of the latency of all requests of the last ten seconds, microseconds; -1 if none was timed. */
    public synchronized int latency(double quantile) {
        if (latencies.isEmpty()) {
            return -1;
        }
        long[] counts = latencies.getLast().clone();
        long[] before = latencies.getFirst();
        for (int i = 0; i < counts.length; i++) {
            counts[i] -= latencies.size() > 1 ? before[i] : 0;
        }
        return LatencyBuckets.quantile(counts, quantile);
    }

    /** The second up to which history is known, exclusive. */
    public synchronized long until() {
        return lastSecond + 1;
    }

    @Override
    public void close() {
        timer.shutdown();
        try {
            var unused = timer.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (files != null) {
            synchronized (this) {
                closeMinute(Math.floorDiv(lastSecond, MINUTE) * MINUTE); // the part of it that has passed
            }
            files.close();
        }
    }
}

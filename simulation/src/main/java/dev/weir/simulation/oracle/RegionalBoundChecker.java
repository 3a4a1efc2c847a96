package dev.weir.simulation.oracle;

import dev.weir.Limit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks the bound of limits that regions share ({@code scope: shared}): in each window all regions together admit at most
 * the limit and what each process admits before it hears of the others.
 *
 * <pre>
 *   admitted(window) is at most limit + regions + sum over processes of the most hits that one admits in a blind time
 * </pre>
 *
 * <p>The blind time is the interval at which regions are asked, two round trips and a tick; in windows that a fault
 * touches, also the time until a region counts as silent and that for which a process was stopped. A process that starts
 * during a fault knows nothing of this window: then twice the limit may pass.
 */
public final class RegionalBoundChecker {
    private static final long SILENT_NANOS = 1_000_000_000L;
    private static final long TICK_NANOS = 50_000_000L;

    private final int regions;
    private final long delayNanos;
    private final List<Trouble> faults = new ArrayList<>();

    private final List<Long> starts = new ArrayList<>();
    private final int[] lives;
    private final Map<Long, Account> accounts = new HashMap<>();
    private long checked;

    /** The time that a fault touches, and for how long it stops a process. */
    private record Trouble(long fromNanos, long untilNanos, long stopsNanos) {}

    /** The windows of one counter. */
    private record Account(Rule rule, Limit limit, TreeMap<Long, Window> windows) {}

    /** The moments at which each process admitted a hit, and when the first and the last was. */
    private static final class Window {
        private final Map<Long, List<Long>> byProcess = new HashMap<>();
        private long first = Long.MAX_VALUE;
        private long last;
        private long admitted;
    }

    /** Creates the checker of a fleet of so many nodes in so many regions, one of which answers in {@code delayNanos}. */
    public RegionalBoundChecker(int nodes, int regions, long delayNanos) {
        this.regions = regions;
        this.delayNanos = delayNanos;
        this.lives = new int[nodes];
    }

    /** Records that a store, a network or a process does not work for a while; a process may be stopped as long. */
    public void fault(long fromNanos, long untilNanos, boolean stops) {
        faults.add(new Trouble(fromNanos, untilNanos, stops ? untilNanos - fromNanos : 0));
    }

    /** Records that a process starts on {@code node}. */
    public void started(int node, long nanos) {
        lives[node]++;
        starts.add(nanos);
    }

    /** Records a decision of {@code node}, whose hits were charged at {@code chargedMicros} by its region's store. */
    public void told(int node, MutableDecision decision, long chargedMicros, long nanos) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            Limit limit = verdict.limit();
            if (rule == null || limit == null || !decision.allowed() || verdict.degraded()) {
                continue;
            }
            Window window = accounts.computeIfAbsent(
                            verdict.counter(), key -> new Account(rule, limit, new TreeMap<>()))
                    .windows
                    .computeIfAbsent(limit.windowStart(chargedMicros), start -> new Window());
            window.first = Math.min(window.first, nanos);
            window.last = Math.max(window.last, nanos);
            window.admitted += verdict.hits();
            List<Long> moments = window.byProcess.computeIfAbsent(
                    ((long) node << Integer.SIZE) | lives[node], process -> new ArrayList<>());
            for (long hit = 0; hit < verdict.hits(); hit++) {
                moments.add(nanos);
            }
        }
    }

    /** The windows that were checked. */
    public long checked() {
        return checked;
    }

    /** Checks all windows; returns the violations. */
    public List<String> violations() {
        List<String> violations = new ArrayList<>();
        for (Account account : accounts.values()) {
            account.windows.forEach((start, window) -> {
                checked++;
                long bound = bound(account, window);
                if (window.admitted > bound) {
                    violations.add(account.rule + ": " + window.admitted + " passed in the window at " + start
                            + ", and " + bound + " might");
                }
            });
        }
        return violations;
    }

    private long bound(Account account, Window window) {
        long interval = account.rule.reportIntervalMicros() * 1_000;
        long blind = Math.max(interval + TICK_NANOS, delayNanos) + TICK_NANOS + delayNanos;
        long length = account.limit.windowMicros() * 1_000;
        long from = window.first - length - SILENT_NANOS - blind;
        long stopped = 0;
        boolean touched = false;
        for (Trouble each : faults) {
            if (each.fromNanos <= window.last && each.untilNanos + SILENT_NANOS + blind >= from) {
                touched = true;
                stopped += each.stopsNanos;
            }
        }
        long limit = account.limit.requests();
        boolean unknowing =
                touched && starts.stream().anyMatch(each -> each > 0 && each >= from && each <= window.last);
        long span = touched ? 2 * blind + SILENT_NANOS + stopped : blind;
        long unheard = 0;
        for (List<Long> each : window.byProcess.values()) {
            unheard += most(each, span);
        }
        return (unknowing ? 2 : 1) * limit + regions + unheard;
    }

    /** The most of {@code moments}, which are in order, in any such span. */
    private static long most(List<Long> moments, long span) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < moments.size(); last++) {
            while (moments.get(last) - moments.get(first) > span) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }
}

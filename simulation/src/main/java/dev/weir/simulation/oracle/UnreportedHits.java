package dev.weir.simulation.oracle;

import dev.weir.Algorithm;
import dev.weir.Limit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The hits of a reported counter that one node admitted without knowing what the others did: those since it sent the
 * last report that the store answered, and those that the store then refused. A node may do so for an interval, a tick
 * and a round trip; longer only while it gets no answer. Once the store refused hits, the node must not admit more
 * until they are paid.
 */
final class UnreportedHits {
    /** What clocks that drift and timers that round are off by. */
    private static final long SLACK_NANOS = 5_000_000;
    /** {@link #freshNanos} if all that passed is on its way. */
    private static final long NONE = Long.MAX_VALUE;

    private final Limit limit;
    private final boolean windowed;
    private final Patience patience;
    private final ArrayDeque<Passed> unknown = new ArrayDeque<>();
    private boolean underWay;
    private long sentNanos;
    /** When the first passed that is not on its way. */
    private long freshNanos = NONE;

    private long lastNanos;
    private long silentUntilNanos;
    private long silentWindow = -1;

    /** How much a node may do without an answer: until a report must be sent and answered, and how long it keeps silent without an answer. */
    record Patience(long reportNanos, long answerNanos, long silenceNanos) {}

    /** Hits that passed in a window of the store's clock and of the node's own. */
    private static final class Passed {
        final long window;
        final long ownWindow;
        long hits;
        boolean sent;
        /** A report with it had no answer. */
        boolean doubtful;
        /** The store had no room for it. */
        boolean refused;

        Passed(long window, long ownWindow) {
            this.window = window;
            this.ownWindow = ownWindow;
        }
    }

    /** Hits that passed in a window of the store's clock and were, or may have been, counted nowhere. */
    record Lost(long window, long hits) {}

    UnreportedHits(Limit limit, Patience patience) {
        this.limit = limit;
        this.windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
        this.patience = patience;
    }

    /** What nobody else could know of now, of those that passed in {@code window} if that is fixed. */
    long hits(long window) {
        long sum = 0;
        for (Passed each : unknown) {
            sum += !windowed || each.window == window ? each.hits : 0;
        }
        return sum;
    }

    /** {@code hits} passed now, on a node that last stood still until {@code resumedNanos}. */
    void passed(long hits, long storeMicros, long ownMicros, long nowNanos, long resumedNanos) {
        long window = windowed ? Bound.windowOf(limit, storeMicros) : 0;
        long ownWindow = windowed ? Bound.windowOf(limit, ownMicros) : 0;
        Passed last = unknown.peekLast();
        boolean another = last == null || last.sent || last.window != window || last.ownWindow != ownWindow;
        if (freshNanos == NONE || (last != null && last.ownWindow != ownWindow)) {
            freshNanos = nowNanos;
        }
        lastNanos = nowNanos;
        if (!mayPass(window, storeMicros, nowNanos, resumedNanos)) {
            return;
        }
        if (last == null || another) {
            last = new Passed(window, ownWindow);
            unknown.addLast(last);
        }
        last.hits += hits;
    }

    private boolean mayPass(long window, long storeMicros, long nowNanos, long resumedNanos) {
        boolean silent = windowed
                ? window == silentWindow && storeMicros < window + limit.windowMicros() - patience.answerNanos() / 1_000
                : nowNanos < silentUntilNanos;
        long due = underWay
                ? Math.max(sentNanos, resumedNanos) + patience.answerNanos()
                : Math.max(freshNanos, resumedNanos) + patience.reportNanos();
        return !silent && nowNanos <= due + SLACK_NANOS;
    }

    /** A report left; what it does not carry any more is returned. */
    List<Lost> sent(long ownMicros, long nowNanos) {
        List<Lost> lost = new ArrayList<>();
        long ownWindow = windowed ? Bound.windowOf(limit, ownMicros) : 0;
        boolean old = nowNanos - lastNanos + SLACK_NANOS >= limit.windowMicros() * 1_000;
        for (Iterator<Passed> all = unknown.iterator(); all.hasNext(); ) {
            Passed each = all.next();
            each.sent = true;
            if (each.ownWindow != ownWindow || (old && !each.refused)) {
                lost.add(new Lost(each.window, each.hits));
                all.remove();
            }
        }
        underWay = true;
        sentNanos = nowNanos;
        freshNanos = NONE;
        return lost;
    }

    /** The report had no answer. */
    void failed() {
        underWay = false;
        for (Passed each : unknown) {
            each.doubtful |= each.sent;
        }
    }

    /** The report was answered when the store's clock showed {@code storeMicros}; what of it nobody counts is returned. */
    List<Lost> answered(long refused, long storeMicros) {
        underWay = false;
        long window = windowed ? Bound.windowOf(limit, storeMicros) : 0;
        List<Lost> lost = new ArrayList<>();
        long doubtful = 0;
        for (Iterator<Passed> all = unknown.iterator(); all.hasNext(); ) {
            Passed each = all.next();
            if (!each.sent) {
                continue;
            }
            doubtful += each.doubtful ? each.hits : 0;
            boolean counted = refused == 0 && each.window == window && !each.doubtful;
            if (!counted && (windowed || each.doubtful)) {
                lost.add(new Lost(each.window, each.hits));
            }
            if (counted || windowed || each.doubtful) {
                all.remove();
            }
            each.refused = refused > 0;
        }
        silentWindow = refused > 0 ? window : -1;
        silentUntilNanos = refused > doubtful ? sentNanos + patience.silenceNanos() - SLACK_NANOS : 0;
        return lost;
    }

    /** Its process is gone; what it had not told is returned. */
    List<Lost> died() {
        List<Lost> lost = new ArrayList<>();
        unknown.forEach(each -> lost.add(new Lost(each.window, each.hits)));
        unknown.clear();
        underWay = false;
        freshNanos = NONE;
        silentUntilNanos = 0;
        silentWindow = -1;
        return lost;
    }
}

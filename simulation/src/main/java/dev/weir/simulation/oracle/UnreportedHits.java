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
    /** The tolerance for clock drift and the rounding of timers. */
    private static final long SLACK_NANOS = 5_000_000;
    /** The value of {@link #freshNanos} if all admitted hits are in flight to the store. */
    private static final long NONE = Long.MAX_VALUE;

    private final Limit limit;
    private final boolean windowed;
    private final Patience patience;
    private final ArrayDeque<Passed> unknown = new ArrayDeque<>();
    private boolean underWay;
    private long sentNanos;
    /** When the first admitted hit passed that is not in flight to the store. */
    private long freshNanos = NONE;

    private long lastNanos;
    private long silentUntilNanos;
    private long silentWindow = -1;

    /**
     * The time limits of a node: until a report must be sent, until it must be answered, and how long the node may stay
     * silent without an answer.
     */
    record Patience(long reportNanos, long answerNanos, long silenceNanos) {}

    /** Admitted hits of one window by the store's clock and by the node's own. */
    private static final class Passed {
        final long window;
        final long ownWindow;
        long hits;
        boolean sent;
        /** Whether a report with these hits had no answer. */
        boolean doubtful;
        /** Whether the store had no room for them. */
        boolean refused;

        Passed(long window, long ownWindow) {
            this.window = window;
            this.ownWindow = ownWindow;
        }
    }

    /** Hits admitted in a window of the store's clock that were not counted, or may not have been. */
    record Lost(long window, long hits) {}

    UnreportedHits(Limit limit, Patience patience) {
        this.limit = limit;
        this.windowed = limit.algorithm() == Algorithm.FIXED_WINDOW;
        this.patience = patience;
    }

    /** The hits that no other node can know of now; for a fixed window, those admitted in {@code window}. */
    long hits(long window) {
        long sum = 0;
        for (Passed each : unknown) {
            sum += !windowed || each.window == window ? each.hits : 0;
        }
        return sum;
    }

    /** Records that {@code hits} passed now, on a node whose last pause ended at {@code resumedNanos}. */
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
                ? window == silentWindow && storeMicros < limit.windowEnd(window) - patience.answerNanos() / 1_000
                : nowNanos < silentUntilNanos;
        long due = underWay
                ? Math.max(sentNanos, resumedNanos) + patience.answerNanos()
                : Math.max(freshNanos, resumedNanos) + patience.reportNanos();
        return !silent && nowNanos <= due + SLACK_NANOS;
    }

    /** Records that a report was sent; returns the hits that it no longer carries. */
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

    /** Records that the report had no answer. */
    void failed() {
        underWay = false;
        for (Passed each : unknown) {
            each.doubtful |= each.sent;
        }
    }

    /**
     * Records the answer to the report, at {@code storeMicros} by the store's clock; returns the hits that were not
     * counted.
     */
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

    /** Records that the process ended; returns the hits that it had not reported. */
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

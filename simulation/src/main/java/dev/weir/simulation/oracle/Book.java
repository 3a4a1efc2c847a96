package dev.weir.simulation.oracle;

import dev.weir.model.Limit;
import dev.weir.simulation.clock.MachineClock;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of the hits of one counter. Three things must hold whenever a request passes:
 *
 * <ul>
 *   <li>no node lets more pass than it took and did not give back;
 *   <li>{@code fixed_window}: no more than {@code requests} in a window, and what a failover forgot of it;
 *   <li>every other algorithm: in any time, no more than the algorithm's own bound, what was taken and not let pass yet when that time
 *       began, and what a failover forgot.
 * </ul>
 */
final class Book {
    /** The time from which refills are counted: differences are small, and a double holds them exactly enough. */
    private static final long BASE = MachineClock.EPOCH_MICROS;

    private final long[] held;
    private long outstanding;
    private long admitted;
    /** By the start of a window, microseconds. */
    private final Map<Long, Long> inWindow = new HashMap<>();

    private final Map<Long, Long> forgotten = new HashMap<>();
    private long forgottenInAll;

    /** For buckets: the largest of (rate times s - admitted(s) - outstanding(s)) over all s so far, in hits. */
    private double highest = Double.NEGATIVE_INFINITY;

    /** For windows that slide: where each part began. */
    private final ArrayDeque<Mark> marks = new ArrayDeque<>();

    /** How things stood just before {@code micros}. */
    private record Mark(long micros, long admitted, long outstanding) {}

    Book(int nodes) {
        this.held = new long[nodes];
    }

    /** Takes note; returns what the node holds now. */
    long took(int node, long hits) {
        outstanding += hits;
        held[node] += hits;
        return held[node];
    }

    void forgot(long storeMicros, long hits) {
        forgotten.merge(storeMicros, hits, Long::sum);
        forgottenInAll += Math.max(0, hits);
    }

    void died(int node) {
        outstanding -= held[node];
        held[node] = 0;
    }

    long outstanding() {
        return outstanding;
    }

    /** Takes note that a request passed; what that broke, or null. */
    @Nullable
    String admitted(int node, Limit limit, long hits, long chargedMicros, long nowMicros) {
        if (hits <= 0) {
            return null;
        }
        String broken = switch (limit.algorithm()) {
            case FIXED_WINDOW -> fixed(limit, hits, chargedMicros);
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> bucket(limit, hits, nowMicros);
            case SLIDING_WINDOW ->
                limit.subWindows() == 1
                        ? aligned(limit, hits, nowMicros)
                        : sliding(limit, hits, nowMicros, limit.windowMicros() / limit.subWindows());
            case SLIDING_WINDOW_LOG -> sliding(limit, hits, nowMicros, 0);
        };
        admitted += hits;
        outstanding -= hits;
        held[node] -= hits;
        if (held[node] < 0) {
            return "let " + hits + " hits pass, " + -held[node] + " more than it held";
        }
        return broken;
    }

    private @Nullable String fixed(Limit limit, long hits, long chargedMicros) {
        long start = chargedMicros - Math.floorMod(chargedMicros, limit.windowMicros());
        long sum = inWindow.merge(start, hits, Long::sum);
        if (sum <= limit.requests()) {
            return null;
        }
        long lost = forgotten.entrySet().stream()
                .filter(each -> each.getKey() >= start && each.getKey() < start + limit.windowMicros())
                .mapToLong(Map.Entry::getValue)
                .sum();
        return sum <= limit.requests() + Math.max(0, lost)
                ? null
                : sum + " passed in a window of " + limit.requests()
                        + (lost > 0 ? ", of which " + lost + " were lost" : "");
    }

    private @Nullable String bucket(Limit limit, long hits, long nowMicros) {
        double refilled = (double) limit.requests() / limit.windowMicros() * (nowMicros - BASE);
        highest = Math.max(highest, refilled - admitted - outstanding);
        double over = admitted + hits - refilled + highest - limit.burst() - forgottenInAll;
        return over < 1 ? null : over + " more passed than burst, refill and what was held allow";
    }

    private @Nullable String aligned(Limit limit, long hits, long nowMicros) {
        long start = nowMicros - Math.floorMod(nowMicros, limit.windowMicros());
        if (marks.isEmpty() || marks.getLast().micros() < start) {
            marks.clear();
            marks.addLast(new Mark(start, admitted, outstanding));
        }
        return exceeds(limit, marks.getLast(), hits);
    }

    /** In any window; sub-windows forget a part of it at a time, and so let pass what fits in one part less. */
    private @Nullable String sliding(Limit limit, long hits, long nowMicros, long partMicros) {
        while (!marks.isEmpty() && marks.getFirst().micros() <= nowMicros - limit.windowMicros() + partMicros) {
            marks.removeFirst();
        }
        marks.addLast(new Mark(nowMicros, admitted, outstanding));
        for (Mark each : marks) {
            String broken = exceeds(limit, each, hits);
            if (broken != null) {
                return broken;
            }
        }
        return null;
    }

    private @Nullable String exceeds(Limit limit, Mark since, long hits) {
        long passed = admitted + hits - since.admitted();
        long bound = limit.requests() + Math.max(0, since.outstanding()) + forgottenInAll;
        return passed <= bound ? null : passed + " passed since " + since.micros() + ", and " + bound + " might";
    }
}

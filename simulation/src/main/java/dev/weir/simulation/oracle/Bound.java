package dev.weir.simulation.oracle;

import dev.weir.Limit;
import dev.weir.simulation.clock.MachineClock;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bound on the hits that may pass one counter. With {@code fixed_window} it is {@code requests} in a window; every
 * other algorithm has its own bound for any time span. Writes that a failover lost are added to it, and the allowance
 * of the account.
 */
final class Bound {
    /** The origin of refill times: differences to it are small enough for a double to hold exactly. */
    private static final long BASE = MachineClock.EPOCH_MICROS;

    private long admitted;
    /** Admitted hits by the start of their window, in microseconds. */
    private final Map<Long, Long> inWindow = new HashMap<>();

    private final Map<Long, Long> forgotten = new HashMap<>();
    private long forgottenInAll;

    /** For buckets: the maximum of (rate times s - admitted(s) - held(s)) over all s so far, in hits. */
    private double highest = Double.NEGATIVE_INFINITY;

    /** For sliding windows: the start of each sub-window. */
    private final ArrayDeque<Mark> marks = new ArrayDeque<>();

    /** The totals just before {@code micros}. */
    private record Mark(long micros, long admitted, long held) {}

    /** The start of the window that contains {@code micros}. */
    static long windowOf(Limit limit, long micros) {
        return limit.windowStart(micros);
    }

    void forgot(long storeMicros, long hits) {
        forgotten.merge(storeMicros, hits, Long::sum);
        forgottenInAll += Math.max(0, hits);
    }

    /** Excludes {@code hits} that passed from the bound; a fixed window still counts them. */
    void excuse(long hits) {
        admitted -= hits;
    }

    /**
     * Records that {@code hits} passed; returns the violation, or null.
     *
     * @param held hits that may pass in addition in the span that begins now
     * @param excused hits that may have passed in addition by now
     */
    @Nullable
    String passed(Limit limit, long hits, long chargedMicros, long nowMicros, long held, long excused) {
        String broken = switch (limit.algorithm()) {
            case FIXED_WINDOW -> fixed(limit, hits, chargedMicros, excused);
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> bucket(limit, hits, nowMicros, held, excused);
            case SLIDING_WINDOW ->
                limit.subWindows() == 1
                        ? aligned(limit, hits, nowMicros, held, excused)
                        : sliding(limit, hits, nowMicros, held, excused, limit.windowMicros() / limit.subWindows());
            case SLIDING_WINDOW_LOG -> sliding(limit, hits, nowMicros, held, excused, 0);
            case CONCURRENCY -> throw new IllegalArgumentException("concurrency (expected: a rate)");
        };
        admitted += hits;
        return broken;
    }

    private @Nullable String fixed(Limit limit, long hits, long chargedMicros, long excused) {
        long start = windowOf(limit, chargedMicros);
        long sum = inWindow.merge(start, hits, Long::sum);
        if (sum <= limit.requests() + excused) {
            return null;
        }
        long lost = forgotten.entrySet().stream()
                .filter(each -> each.getKey() >= start && each.getKey() < limit.windowEnd(start))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return sum <= limit.requests() + excused + Math.max(0, lost)
                ? null
                : sum + " passed in a window of " + limit.requests()
                        + (excused > 0 ? ", of which " + excused + " nobody could know of" : "")
                        + (lost > 0 ? ", of which " + lost + " were lost" : "");
    }

    private @Nullable String bucket(Limit limit, long hits, long nowMicros, long held, long excused) {
        double refilled = (double) limit.requests() / limit.windowMicros() * (nowMicros - BASE);
        highest = Math.max(highest, refilled - admitted - held);
        double over = admitted + hits - refilled + highest - limit.capacity() - forgottenInAll - excused;
        return over < 1
                ? null
                : over + " more passed than burst, credit, refill, what was held and what nobody could know of allow";
    }

    private @Nullable String aligned(Limit limit, long hits, long nowMicros, long held, long excused) {
        long start = windowOf(limit, nowMicros);
        if (marks.isEmpty() || marks.getLast().micros() < start) {
            marks.clear();
            marks.addLast(new Mark(start, admitted, held));
        }
        return exceeds(limit, marks.getLast(), hits, excused);
    }

    /**
     * Checks every window. Sub-windows expire one at a time, so the bound holds for a window shorter by one sub-window.
     */
    private @Nullable String sliding(Limit limit, long hits, long nowMicros, long held, long excused, long partMicros) {
        while (!marks.isEmpty() && marks.getFirst().micros() <= nowMicros - limit.windowMicros() + partMicros) {
            marks.removeFirst();
        }
        marks.addLast(new Mark(nowMicros, admitted, held));
        for (Mark each : marks) {
            String broken = exceeds(limit, each, hits, excused);
            if (broken != null) {
                return broken;
            }
        }
        return null;
    }

    private @Nullable String exceeds(Limit limit, Mark since, long hits, long excused) {
        long passed = admitted + hits - since.admitted();
        long bound = limit.requests() + Math.max(0, since.held()) + forgottenInAll + excused;
        return passed <= bound ? null : passed + " passed since " + since.micros() + ", and " + bound + " might";
    }
}

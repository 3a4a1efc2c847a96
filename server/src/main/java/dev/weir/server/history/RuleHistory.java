package dev.weir.server.history;

import dev.weir.server.metrics.LatencyBuckets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The history of one rule, or of all, in memory, and what was counted since the last point of each resolution. */
final class RuleHistory {
    final String domain;
    final String rule;
    final Counts last = new Counts();
    final Counts tenSeconds = new Counts();
    final Counts minute = new Counts();
    final PointRing byTenSeconds;

    /** By the second; only of the busiest rules. */
    @Nullable
    PointRing bySecond;

    RuleHistory(String domain, String rule) {
        this.domain = domain;
        this.rule = rule;
        this.byTenSeconds = new PointRing(History.TEN_SECOND_POINTS);
    }

    int bytes() {
        PointRing seconds = bySecond;
        return 600 + byTenSeconds.bytes() + (seconds == null ? 0 : seconds.bytes());
    }

    /** Counts: those of an interval, or all since the start. */
    static final class Counts {
        final long[] counts = new long[HistoryColumn.COUNTED];
        final long[] latencies = new long[LatencyBuckets.COUNT];

        /** Sets this to {@code now} minus {@code before}, and {@code before} to {@code now}. */
        void setDifference(Counts now, Counts before) {
            for (int i = 0; i < counts.length; i++) {
                counts[i] = Math.max(0, now.counts[i] - before.counts[i]);
                before.counts[i] = now.counts[i];
            }
            for (int i = 0; i < latencies.length; i++) {
                latencies[i] = Math.max(0, now.latencies[i] - before.latencies[i]);
                before.latencies[i] = now.latencies[i];
            }
        }

        void add(Counts more) {
            for (int i = 0; i < counts.length; i++) {
                counts[i] += more.counts[i];
            }
            for (int i = 0; i < latencies.length; i++) {
                latencies[i] += more.latencies[i];
            }
        }

        void clear() {
            Arrays.fill(counts, 0);
            Arrays.fill(latencies, 0);
        }

        /** Checks of all outcomes. */
        long traffic() {
            long sum = 0;
            for (long each : counts) {
                sum += each;
            }
            return sum;
        }

        int[] point() {
            int[] point = new int[HistoryColumn.COUNT];
            for (int i = 0; i < counts.length; i++) {
                point[i] = (int) Math.min(Integer.MAX_VALUE, counts[i]);
            }
            point[counts.length] = LatencyBuckets.quantile(latencies, 0.5);
            point[counts.length + 1] = LatencyBuckets.quantile(latencies, 0.99);
            return point;
        }
    }
}

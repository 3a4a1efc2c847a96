package dev.weir.server.bench;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The result of a load.
 *
 * @param seconds how long it was measured
 * @param answered how many requests were answered in that time
 * @param latencies in microseconds, of all requests that were due in that time
 * @param series the same in equal intervals
 * @param cpuSeconds what this process spent of the processor meanwhile
 * @param problem the first thing that went wrong; null if nothing did
 */
public record LoadReport(
        double seconds,
        long answered,
        long allowed,
        long denied,
        long errors,
        Histogram latencies,
        List<Point> series,
        double cpuSeconds,
        @Nullable String problem) {

    /** One interval. */
    public record Point(double perSecond, long p50, long p99, long p999) {}

    /** Answers a second. */
    public double throughput() {
        return answered / seconds;
    }

    /** The latency in microseconds that {@code percent} of the requests did not exceed. */
    public long percentile(double percent) {
        return latencies.getValueAtPercentile(percent);
    }
}

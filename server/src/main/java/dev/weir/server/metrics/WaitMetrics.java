package dev.weir.server.metrics;

import dev.weir.internal.limiter.check.WaitResult;
import dev.weir.internal.queue.RequestQueues;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests that waited because their rules say {@code over}. */
public final class WaitMetrics {
    private final Map<WaitResult, LongAdder> results = new EnumMap<>(WaitResult.class);

    WaitMetrics() {
        for (WaitResult each : WaitResult.values()) {
            results.put(each, new LongAdder());
        }
    }

    void add(WaitResult result) {
        count(result).increment();
    }

    private LongAdder count(WaitResult result) {
        return Objects.requireNonNull(results.get(result));
    }

    /** Adds the counts, and gauges of the requests that wait in {@code queues} now. */
    public void addTo(ServerMetrics metrics, RequestQueues queues) {
        for (WaitResult each : WaitResult.values()) {
            metrics.counter(
                    "ratelimit.waits",
                    "Requests over a limit with a queue or a tarpit, by how their wait ended.",
                    count(each)::sum,
                    "result",
                    each.name().toLowerCase(Locale.ROOT));
        }
        metrics.gauge("ratelimit.waiting", "Requests that wait for their turn.", queues::waiting)
                .gauge("ratelimit.tarpitted", "Denials that a tarpit delays.", queues::tarpitted);
    }
}
